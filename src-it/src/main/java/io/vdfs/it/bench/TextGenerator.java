package io.vdfs.it.bench;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * Writes text of a given size for jobs: lines of words with Zipf-like frequencies, and now and then
 * a {@code NEEDLE} with a number for grep. The same seed gives the same bytes on every machine.
 *
 * <p>Usage: {@code TextGenerator FILE BYTES SEED}; prints the number of needles.
 */
public final class TextGenerator {
  private static final int WORDS = 20_000;
  private static final int LINE_WORDS = 12;
  private static final int NEEDLE_EVERY_LINES = 5_000;

  private final SplittableRandom random;
  private final byte[][] words = new byte[WORDS][];
  private long needles;

  private TextGenerator(long seed) {
    this.random = new SplittableRandom(seed);
    for (int i = 0; i < WORDS; i++) {
      words[i] = word().getBytes(StandardCharsets.US_ASCII);
    }
  }

  /** Runs the generator. */
  public static void main(String[] args) throws IOException {
    if (args.length != 3) {
      System.err.println("usage: TextGenerator FILE BYTES SEED");
      System.exit(2);
    }
    System.out.println(
        generate(Path.of(args[0]), Long.parseLong(args[1]), Long.parseLong(args[2])));
  }

  /** Writes a file; returns the number of needles in it. */
  static long generate(Path file, long bytes, long seed) throws IOException {
    TextGenerator generator = new TextGenerator(seed);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      generator.write(out, bytes);
    }
    return generator.needles;
  }

  private void write(OutputStream out, long bytes) throws IOException {
    long left = bytes;
    for (long line = 1; left > 0; line++) {
      byte[] text = line(line % NEEDLE_EVERY_LINES == 0);
      int length = (int) Math.min(left, text.length);
      out.write(text, 0, length);
      left -= length;
      if (length < text.length) {
        needles -= line % NEEDLE_EVERY_LINES == 0 ? 1 : 0;
      }
    }
  }

  private byte[] line(boolean needle) {
    StringBuilder line = new StringBuilder(96);
    if (needle) {
      line.append("NEEDLE").append(random.nextInt(1_000)).append(' ');
      needles++;
    }
    for (int i = 0; i < LINE_WORDS; i++) {
      double uniform = random.nextDouble();
      int rank = (int) (WORDS * uniform * uniform * uniform);
      line.append(new String(words[rank], StandardCharsets.US_ASCII));
      line.append(i == LINE_WORDS - 1 ? '\n' : ' ');
    }
    return line.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private String word() {
    StringBuilder word = new StringBuilder();
    for (int length = 2 + random.nextInt(8); length > 0; length--) {
      word.append((char) ('a' + random.nextInt(26)));
    }
    return word.toString();
  }
}
