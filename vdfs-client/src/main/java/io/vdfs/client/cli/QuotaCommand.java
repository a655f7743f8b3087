package io.vdfs.client.cli;

import io.vdfs.client.ContentTotals;
import io.vdfs.client.VdfsClient;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.OptionalLong;

/**
 * {@code vdfs quota PATH [INODES SPACE]}: sets the quota of a directory, or just shows it. A limit
 * is a number, {@code none}, or {@code -} to leave it as it is; space is bytes of all replicas.
 */
final class QuotaCommand implements Command {
  private static final long LIFTED = -1;

  @Override
  public void run(VdfsClient client, List<String> arguments, PrintStream out) throws IOException {
    if (arguments.size() != 1 && arguments.size() != 3) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "vdfs quota PATH [INODES SPACE], each a number, none, or - as it is: arguments="
              + arguments);
    }
    String path = arguments.get(0);
    if (arguments.size() == 3) {
      client.setQuota(path, limit(arguments.get(1)), limit(arguments.get(2)));
    }
    ContentTotals usage = client.quotaUsage(path);
    out.printf("%-8s %16s %16s%n", "", "used", "quota");
    out.printf("%-8s %16d %16s%n", "inodes", usage.inodes(), shown(usage.inodeLimit()));
    out.printf("%-8s %16d %16s%n", "space", usage.spaceConsumed(), shown(usage.spaceLimit()));
  }

  private static OptionalLong limit(String text) throws VdfsException {
    if (text.equals("-")) {
      return OptionalLong.empty();
    }
    if (text.equals("none")) {
      return OptionalLong.of(LIFTED);
    }
    if (!text.matches("\\d{1,18}")) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "a quota is a number, none, or - as it is: quota=" + text);
    }
    return OptionalLong.of(Long.parseLong(text));
  }

  private static String shown(OptionalLong limit) {
    return limit.isPresent() ? Long.toString(limit.getAsLong()) : "none";
  }
}
