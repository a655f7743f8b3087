package io.vdfs.it.bench.tfidf;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataInput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * In how many documents each term occurs, where each line of a text is a document. As a file: the
 * number of documents, the number of terms, then each term with the number of documents that have
 * it, each of them a number of 8 bytes. Immutable.
 *
 * <p>As a program it makes such a file from a text, and fills it up to a size with made-up terms of
 * one document each, as if the text were part of a larger collection. Usage: {@code TfidfModel TEXT
 * MODEL BYTES}.
 */
public final class TfidfModel {
  private static final int RECORD_BYTES = 2 * Long.BYTES;
  private static final int HEADER_BYTES = 2 * Long.BYTES;

  private final long documents;
  private final TermTable documentsWith;

  private TfidfModel(long documents, TermTable documentsWith) {
    this.documents = documents;
    this.documentsWith = documentsWith;
  }

  /** Makes a model from a text. */
  public static void main(String[] args) throws IOException {
    if (args.length != 3) {
      System.err.println("usage: TfidfModel TEXT MODEL BYTES");
      System.exit(2);
    }
    make(Path.of(args[0]), Path.of(args[1]), Long.parseLong(args[2]));
  }

  /**
   * Makes a model file from a text.
   *
   * @param bytes about the size of the file, at most a record less than that
   * @throws IllegalArgumentException if the terms of the text do not fit into it; there is no file
   *     then
   */
  static void make(Path text, Path model, long bytes) throws IOException {
    TfidfModel counted = count(text);
    long terms = (bytes - HEADER_BYTES) / RECORD_BYTES;
    if (counted.documentsWith.size() > terms) {
      throw new IllegalArgumentException(
          "too small for the terms of the text: bytes="
              + bytes
              + ", terms="
              + counted.documentsWith.size());
    }
    counted.fill(terms);
    counted.write(model);
  }

  private static TfidfModel count(Path text) throws IOException {
    TermTable documentsWith = new TermTable();
    TermTable lastSeen = new TermTable();
    int document = 0;
    try (BufferedReader lines = Files.newBufferedReader(text, StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int now = ++document;
        byte[] bytes = line.getBytes(StandardCharsets.ISO_8859_1);
        Terms.each(
            bytes,
            bytes.length,
            term -> {
              if (lastSeen.put(term, now) != now) {
                documentsWith.add(term, 1);
              }
            });
      }
    }
    return new TfidfModel(document, documentsWith);
  }

  private void fill(long terms) {
    SplittableRandom random = new SplittableRandom(terms);
    byte[] word = new byte[Terms.LETTERS];
    while (documentsWith.size() < terms) {
      for (int at = 0; at < word.length; at++) {
        word[at] = (byte) ('a' + random.nextInt(26));
      }
      Terms.each(
          word,
          word.length,
          term -> {
            if (documentsWith.get(term) == 0) {
              documentsWith.put(term, 1);
            }
          });
    }
  }

  private void write(Path model) throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(model)))) {
      out.writeLong(documents);
      out.writeLong(documentsWith.size());
      for (long term : documentsWith.sorted().toArray()) {
        out.writeLong(term);
        out.writeLong(documentsWith.get(term));
      }
    }
  }

  /**
   * Reads a model, 8 bytes at a time. Buffering is up to the stream.
   *
   * @throws java.io.EOFException if it ends too early
   */
  static TfidfModel read(DataInput in) throws IOException {
    long documents = in.readLong();
    long terms = in.readLong();
    TermTable documentsWith = new TermTable();
    for (long number = 0; number < terms; number++) {
      documentsWith.put(in.readLong(), Math.toIntExact(in.readLong()));
    }
    return new TfidfModel(documents, documentsWith);
  }

  /**
   * Inverse document frequency: the natural logarithm of the number of documents divided by the
   * number that have the term. A term that the model lacks counts as one of a single document.
   */
  double inverseFrequency(long term) {
    return Math.log((double) documents / Math.max(1, documentsWith.get(term)));
  }
}
