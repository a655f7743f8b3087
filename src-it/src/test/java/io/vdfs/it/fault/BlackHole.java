package io.vdfs.it.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Drops each packet to a host of this machine without notice, so that nothing there answers. Needs
 * root and the command {@code nft}.
 */
final class BlackHole implements AutoCloseable {
  private static final Pattern DROPPED = Pattern.compile("counter packets (\\d+)");

  private final String table;

  private BlackHole(String table) {
    this.table = table;
  }

  /**
   * @param host an IPv4 address
   */
  static BlackHole of(String host) throws IOException {
    String table = "vdfs_" + ProcessHandle.current().pid();
    run("nft", "add", "table", "ip", table);
    BlackHole hole = new BlackHole(table);
    try {
      String hook = "{ type filter hook input priority 0 ; }";
      run("nft", "add", "chain", "ip", table, "in", hook);
      run("nft", "add", "rule", "ip", table, "in", "ip", "daddr", host, "counter", "drop");
    } catch (IOException e) {
      hole.close();
      throw e;
    }
    return hole;
  }

  /** How many packets it has dropped. */
  long dropped() throws IOException {
    String rules = run("nft", "list", "table", "ip", table);
    Matcher counter = DROPPED.matcher(rules);
    if (!counter.find()) {
      throw new IOException("no counter in " + rules);
    }
    return Long.parseLong(counter.group(1));
  }

  private static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String told = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (process.waitFor() != 0) {
        throw new IOException("this test needs root and nft: " + List.of(command) + ": " + told);
      }
      return told;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: " + List.of(command));
    }
  }

  @Override
  public void close() throws IOException {
    run("nft", "delete", "table", "ip", table);
  }
}
