package io.vdfs.cli.files;

import io.vdfs.cli.cluster.Clusters;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.names.ContentTotals;
import io.vdfs.common.config.Parsers;
import io.vdfs.common.config.Setting;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code vdfs quota PATH [INODES SPACE]}: sets the quota of a directory, or just shows it. */
@Command(name = "quota", description = "Show the quota of a directory, or set it first.")
public final class QuotaCommand implements Callable<Integer> {
  private static final String LIMIT =
      "; 'none' lifts the limit, '-' leaves it as it is. Of the superuser only.";

  private final Clusters clusters;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "PATH", description = "The directory.")
  private String path;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "INODES",
      converter = CountLimit.class,
      description = "Most files and directories, itself included" + LIMIT)
  private Limit inodes;

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "SPACE",
      converter = SizeLimit.class,
      description = "Most bytes of all replicas, such as 4096, 64k, 8m, 1g or 2t" + LIMIT)
  private Limit space;

  public QuotaCommand(Clusters clusters) {
    this.clusters = clusters;
  }

  /**
   * The new value of a limit.
   *
   * @param value negative where it is lifted, empty where it stays as it is
   */
  private record Limit(OptionalLong value) {
    private static final long LIFTED = -1;

    static Limit parse(String text, Setting.Parser<Long> number) {
      return switch (text) {
        case "-" -> new Limit(OptionalLong.empty());
        case "none" -> new Limit(OptionalLong.of(LIFTED));
        default -> new Limit(OptionalLong.of(number.parse(text)));
      };
    }
  }

  static final class CountLimit implements ITypeConverter<Limit> {
    private static final Pattern COUNT = Pattern.compile("\\d{1,18}");

    @Override
    public Limit convert(String text) {
      return Limit.parse(text, CountLimit::count);
    }

    private static long count(String text) {
      if (!COUNT.matcher(text).matches()) {
        throw new TypeConversionException("'" + text + "' is no number, 'none' or '-'");
      }
      return Long.parseLong(text);
    }
  }

  static final class SizeLimit implements ITypeConverter<Limit> {
    @Override
    public Limit convert(String text) {
      return Limit.parse(text, SizeLimit::size);
    }

    private static long size(String text) {
      try {
        return Parsers.size(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(
            "'" + text + "': " + e.getMessage() + ", or 'none' or '-'");
      }
    }
  }

  @Override
  public Integer call() throws IOException {
    if (inodes != null && space == null) {
      throw new ParameterException(spec.commandLine(), "Missing required parameter: 'SPACE'");
    }
    return clusters.run(spec, this::setAndShow);
  }

  private int setAndShow(VdfsClient client, PrintWriter out) throws IOException {
    if (space != null) {
      client.names().setQuota(path, inodes.value(), space.value());
    }
    ContentTotals usage = client.names().quotaUsage(path);
    out.printf("%-8s %16s %16s%n", "", "used", "quota");
    out.printf("%-8s %16d %16s%n", "inodes", usage.inodes(), shown(usage.inodeLimit()));
    out.printf("%-8s %16d %16s%n", "space", usage.spaceConsumed(), shown(usage.spaceLimit()));
    return ExitCodes.SOUND;
  }

  private static String shown(OptionalLong limit) {
    return limit.isPresent() ? Long.toString(limit.getAsLong()) : "none";
  }
}
