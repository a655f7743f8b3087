package io.vdfs.cli;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.zookeeper.server.ServerConfig;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.apache.zookeeper.server.admin.AdminServer.AdminServerException;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog.DatadirException;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code vdfs zookeeper}: one server of ZooKeeper, for a trial. */
@Command(
    name = "zookeeper",
    description = {
      "Runs one server of ZooKeeper in the foreground, for a trial.",
      "A cluster that is to outlive this machine needs three servers, installed from ZooKeeper's"
          + " own release."
    })
final class ZooKeeperCommand implements Callable<Integer> {
  private static final int TICK_MILLIS = 2_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "Where it keeps its data; made where it is not there.")
  private Path data;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "2181",
      description = "Where it listens (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = {
        "Where it listens (default: ${DEFAULT-VALUE}); 0.0.0.0 is all addresses.",
        "Whoever reaches it can fill it."
      })
  private String address;

  /** Runs until the process is ended. */
  @Override
  public Integer call() throws IOException {
    Files.createDirectories(data);
    ServerConfig config = configuration();
    // its page is not needed, and its web server is not shipped
    System.setProperty("zookeeper.admin.enableServer", "false");
    PrintWriter out = spec.commandLine().getOut();
    out.printf("ZooKeeper: address=%s:%d, data=%s; ends with this process%n", address, port, data);
    out.flush();
    try {
      new ZooKeeperServerMain().runFromConfig(config);
    } catch (BindException e) {
      throw new VdfsException(
          ErrorCode.IO_ERROR,
          "cannot listen at " + address + ":" + port + "; choose others by --address and --port",
          e);
    } catch (DatadirException | AdminServerException e) {
      throw new VdfsException(
          ErrorCode.IO_ERROR, "cannot start: data=" + data + ": " + e.getMessage(), e);
    }
    throw new VdfsException(
        ErrorCode.IO_ERROR, "ZooKeeper has ended by itself: data=" + data + "; its log says why");
  }

  private ServerConfig configuration() throws IOException {
    Properties properties = new Properties();
    properties.setProperty("dataDir", data.toString());
    properties.setProperty("clientPort", Integer.toString(port));
    properties.setProperty("clientPortAddress", address);
    properties.setProperty("tickTime", Integer.toString(TICK_MILLIS));
    properties.setProperty("maxClientCnxns", "0");
    QuorumPeerConfig parsed = new QuorumPeerConfig();
    try {
      parsed.parseProperties(properties);
    } catch (ConfigException e) {
      throw new VdfsException(ErrorCode.IO_ERROR, e.getMessage(), e);
    }
    ServerConfig config = new ServerConfig();
    config.readFrom(parsed);
    return config;
  }
}
