package io.vdfs.it.tools;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * Files and what they hold: a line for each, with SHA-256, length and path. Confined to one thread.
 */
public final class FileManifest {
  private record Content(String sha256, long length) {}

  private final Map<String, Content> files = new TreeMap<>();

  /** Adds a file, or replaces what is known of it. */
  public void add(String path, byte[] bytes) {
    files.put(path, new Content(hex(sha256().digest(bytes)), bytes.length));
  }

  public int size() {
    return files.size();
  }

  Iterable<String> paths() {
    return files.keySet();
  }

  /** Writes the manifest to the local disk. */
  public void save(Path file) throws IOException {
    StringBuilder lines = new StringBuilder();
    files.forEach(
        (path, content) ->
            lines.append(content.sha256() + " " + content.length() + " " + path + "\n"));
    Files.writeString(file, lines);
  }

  static FileManifest load(Path file) throws IOException {
    FileManifest manifest = new FileManifest();
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split(" ", 3);
      manifest.files.put(fields[2], new Content(fields[0], Long.parseLong(fields[1])));
    }
    return manifest;
  }

  /**
   * Reads {@code in} to its end.
   *
   * @return the number of bytes
   * @throws IOException also if its content differs from that of the file of that path
   */
  long verify(String path, InputStream in) throws IOException {
    DigestInputStream digest = new DigestInputStream(in, sha256());
    long length = digest.transferTo(java.io.OutputStream.nullOutputStream());
    Content found = new Content(hex(digest.getMessageDigest().digest()), length);
    if (!found.equals(files.get(path))) {
      throw new IOException(
          "not what was written: path="
              + path
              + ", found="
              + found
              + ", expected="
              + files.get(path));
    }
    return length;
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
