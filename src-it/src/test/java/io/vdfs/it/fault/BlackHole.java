package io.vdfs.it.fault;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Drops packets without notice, so that nothing answers. Needs root and the command {@code nft}.
 */
final class BlackHole implements AutoCloseable {
  private static final Pattern DROPPED = Pattern.compile("counter packets (\\d+)");
  private static final String FAMILY = "ip";

  private final List<String> prefix;
  private final String table = "vdfs_" + ProcessHandle.current().pid();

  private BlackHole(List<String> prefix) {
    this.prefix = prefix;
  }

  /**
   * Drops each packet to a host of this machine.
   *
   * @param host an IPv4 address
   */
  static BlackHole of(String host) throws IOException {
    return drop(List.of(), List.of("ip daddr " + host), List.of());
  }

  /**
   * Drops packets of a network namespace.
   *
   * @param incoming rules of nftables, of which one has to match
   * @param outgoing likewise
   */
  static BlackHole in(String namespace, List<String> incoming, List<String> outgoing)
      throws IOException {
    return drop(List.of("ip", "netns", "exec", namespace), incoming, outgoing);
  }

  private static BlackHole drop(List<String> prefix, List<String> incoming, List<String> outgoing)
      throws IOException {
    BlackHole hole = new BlackHole(prefix);
    hole.nft("add table", "");
    try {
      hole.chain("input", incoming);
      hole.chain("output", outgoing);
    } catch (IOException e) {
      hole.close();
      throw e;
    }
    return hole;
  }

  private void chain(String hook, List<String> rules) throws IOException {
    nft("add chain", hook + " { type filter hook " + hook + " priority 0 ; }");
    for (String rule : rules) {
      nft("add rule", hook + " " + rule + " counter drop");
    }
  }

  private String nft(String action, String what) throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add("nft");
    command.add("%s %s %s %s".formatted(action, FAMILY, table, what).strip());
    return RootCommand.run(command);
  }

  /** How many packets it has dropped. */
  long dropped() throws IOException {
    Matcher counter = DROPPED.matcher(nft("list table", ""));
    long sum = 0;
    while (counter.find()) {
      sum += Long.parseLong(counter.group(1));
    }
    return sum;
  }

  @Override
  public void close() throws IOException {
    nft("delete table", "");
  }
}
