package io.vdfs.cli;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.datanode.command.Commands;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** Runs commands as the superuser of a fake cluster, and keeps what the last one printed. */
public final class SuperuserLine {
  private final FakeCluster cluster;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  public SuperuserLine(FakeCluster cluster) {
    this.cluster = cluster;
    cluster.user(FakeCluster.SUPERUSER);
  }

  public VdfsClient client() {
    return new FakeClient(cluster, "x").client();
  }

  /** Runs one of all commands, as users have them. */
  public int run(String... arguments) {
    return run(TestLines.all(conf -> client()), arguments);
  }

  /** Runs the one command that the test has made. */
  public int runAlone(Object command, String... arguments) {
    return run(TestLines.alone(command), arguments);
  }

  private int run(CommandLine line, String... arguments) {
    bytes.reset();
    return Commands.run(line, arguments, bytes, bytes);
  }

  /** Of both streams. */
  public String output() {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
