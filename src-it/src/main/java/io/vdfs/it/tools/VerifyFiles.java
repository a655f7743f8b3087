package io.vdfs.it.tools;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * Reads all files of a manifest on the default filesystem and ends with exit code 0 if each has the
 * content that was written.
 *
 * <p>Usage: {@code VerifyFiles MANIFEST}.
 */
public final class VerifyFiles {
  private VerifyFiles() {}

  /** Runs the command. */
  public static void main(String[] args) throws IOException {
    FileManifest manifest = FileManifest.load(Path.of(args[0]));
    long bytes = 0;
    long longestNanos = 0;
    try (FileSystem fileSystem = FileSystem.get(new Configuration())) {
      for (String path : manifest.paths()) {
        long start = System.nanoTime();
        try (InputStream in = fileSystem.open(new org.apache.hadoop.fs.Path(path))) {
          bytes += manifest.verify(path, in);
        }
        longestNanos = Math.max(longestNanos, System.nanoTime() - start);
      }
    }
    System.out.printf(
        "verified files=%d, bytes=%d, longestMillis=%d, jvmMillis=%d%n",
        manifest.size(),
        bytes,
        TimeUnit.NANOSECONDS.toMillis(longestNanos),
        ManagementFactory.getRuntimeMXBean().getUptime());
  }
}
