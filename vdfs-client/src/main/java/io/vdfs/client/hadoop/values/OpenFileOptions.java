package io.vdfs.client.hadoop.values;

import io.vdfs.client.read.ReadPattern;
import io.vdfs.client.read.ReadPattern.Ahead;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Options;

/** What the standard options of {@code openFile()} say about the reading to come. Stateless. */
public final class OpenFileOptions {
  private OpenFileOptions() {}

  /**
   * The first known policy counts; nothing is fetched ahead beyond the end of the split.
   *
   * @throws IllegalArgumentException if the split ends before it starts
   */
  public static ReadPattern pattern(Configuration options) {
    long start = options.getLong(Options.OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_START, 0);
    long end =
        options.getLong(Options.OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END, Long.MAX_VALUE);
    if (start < 0 || end < start) {
      throw new IllegalArgumentException(
          "a split ends where it starts or behind: start=" + start + ", end=" + end);
    }
    for (String policy :
        options.getTrimmedStrings(Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY)) {
      Optional<Ahead> ahead = ahead(policy);
      if (ahead.isPresent()) {
        return new ReadPattern(ahead.get(), end);
      }
    }
    return new ReadPattern(Ahead.WHEN_SEQUENTIAL, end);
  }

  private static Optional<Ahead> ahead(String policy) {
    return switch (policy.toLowerCase(Locale.ENGLISH)) {
      case Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_SEQUENTIAL,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_WHOLE_FILE,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_AVRO,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_CSV,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_JSON ->
          Optional.of(Ahead.AT_ONCE);
      case Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_RANDOM,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_VECTOR,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_COLUMNAR,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_HBASE,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_ORC,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_PARQUET ->
          Optional.of(Ahead.NEVER);
      case Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_ADAPTIVE,
          Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_DEFAULT ->
          Optional.of(Ahead.WHEN_SEQUENTIAL);
      default -> Optional.empty();
    };
  }
}
