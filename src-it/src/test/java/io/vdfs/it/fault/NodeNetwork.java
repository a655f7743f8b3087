package io.vdfs.it.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A network of this machine: each host in a namespace of its own, and clients and ZooKeeper at the
 * bridge between them. Needs root and the commands {@code ip} and {@code nft}. Confined to one
 * thread.
 */
final class NodeNetwork implements AutoCloseable {
  /** What commands in a namespace see of {@code /etc}. */
  private static final Path ETC = Path.of("/etc/netns");

  private static final String DEVICE = "eth0";

  /** In which direction packets to or from a node are lost. */
  enum Direction {
    IN,
    OUT,
    BOTH
  }

  private final long id = ProcessHandle.current().pid();
  private final String subnet = "10.231." + id % 250;
  private final String bridge = "vb" + id;
  private final List<String> namespaces = new ArrayList<>();

  private NodeNetwork() {}

  static NodeNetwork of(int hosts) throws IOException {
    NodeNetwork network = new NodeNetwork();
    try {
      ip("link add " + network.bridge + " type bridge");
      ip("addr add " + network.bridgeAddress() + "/24 dev " + network.bridge);
      ip("link set " + network.bridge + " up");
      for (int host = 0; host < hosts; host++) {
        network.add(host);
      }
    } catch (IOException e) {
      network.close();
      throw e;
    }
    return network;
  }

  private void add(int host) throws IOException {
    String namespace = "vdfs-" + id + "-" + host;
    String end = "v" + id + "n" + host;
    ip("netns add " + namespace);
    namespaces.add(namespace);
    // nothing answers there, so that no name is waited for
    Path etc = Files.createDirectories(ETC.resolve(namespace));
    Files.writeString(etc.resolve("resolv.conf"), "nameserver 127.0.0.1\n");
    ip("link add %s type veth peer name %s netns %s".formatted(end, DEVICE, namespace));
    ip("link set " + end + " master " + bridge + " up");
    ip("-n " + namespace + " addr add " + address(host) + "/24 dev " + DEVICE);
    ip("-n " + namespace + " link set " + DEVICE + " up");
    ip("-n " + namespace + " link set lo up");
  }

  private static void ip(String arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip"));
    command.addAll(List.of(arguments.split(" ")));
    RootCommand.run(command);
  }

  String address(int host) {
    return subnet + "." + (host + 1);
  }

  List<String> addresses() {
    return IntStream.range(0, namespaces.size()).mapToObj(this::address).toList();
  }

  /** Where clients and ZooKeeper are. */
  String bridgeAddress() {
    return subnet + ".254";
  }

  /** Runs a command at a host, if the command and its arguments follow it. */
  List<String> launcher(int host) {
    return List.of("ip", "netns", "exec", namespaces.get(host));
  }

  /** Cuts a host off from all others, and from clients and ZooKeeper. */
  BlackHole cut(int host, Direction direction) throws IOException {
    return cut(host, direction, "", "");
  }

  /** Cuts a host off from some others only. */
  BlackHole cut(int host, List<Integer> others) throws IOException {
    String set = " { " + String.join(", ", others.stream().map(this::address).toList()) + " }";
    return cut(host, Direction.BOTH, " ip saddr" + set, " ip daddr" + set);
  }

  private BlackHole cut(int host, Direction direction, String from, String to) throws IOException {
    return BlackHole.in(
        namespaces.get(host),
        direction == Direction.OUT ? List.of() : List.of("iifname " + DEVICE + from),
        direction == Direction.IN ? List.of() : List.of("oifname " + DEVICE + to));
  }

  @Override
  public void close() throws IOException {
    for (String namespace : namespaces) {
      ip("netns delete " + namespace);
      Files.deleteIfExists(ETC.resolve(namespace).resolve("resolv.conf"));
      Files.deleteIfExists(ETC.resolve(namespace));
    }
    ip("link delete " + bridge);
  }
}
