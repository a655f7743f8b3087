package io.vdfs.common.rpc;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.rpc.ipc.VdfsIpc.VdfsControl;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.authorize.ProxyUsers;

/**
 * Serves control calls. Thread-safe.
 *
 * <p>Calls of one connection are handled side by side and answered as they finish. What a client
 * sends can fail its own call or connection, never the server.
 */
public final class ControlServer implements Closeable {
  /** Hadoop takes twice as much; clients close theirs after half a minute. */
  private static final int IDLE_MILLIS = 30_000;

  /** Calls that wait for a handler; they wait briefly, as no handler waits for an outcome. */
  private static final int QUEUED_PER_HANDLER = 20;

  private final RPC.Server server;

  private ControlServer(RPC.Server server) {
    this.server = server;
  }

  /**
   * Listens and serves until closed.
   *
   * @param base the process' Hadoop configuration, for its security settings; copied. Who may call
   *     in the name of whom ({@code hadoop.proxyuser.*}) holds for the whole process
   * @param handlers by method name
   * @throws VdfsException MISCONFIGURED if it can't listen there
   */
  public static ControlServer start(
      Configuration base, ControlServerSettings settings, Map<String, ControlHandler> handlers)
      throws VdfsException {
    ProxyUsers.refreshSuperUserGroupsConfiguration(base);
    EnvelopeService service =
        new EnvelopeService(handlers, settings.callLimit(), new CallShares(settings.limits()));
    RPC.Server server;
    try {
      server =
          new RPC.Builder(configure(base, settings.limits()))
              .setProtocol(VdfsControlPB.class)
              .setInstance(VdfsControl.newReflectiveBlockingService(service))
              .setBindAddress(settings.host())
              .setPort(settings.port())
              .setNumHandlers(settings.handlers())
              .setVerbose(false)
              .build();
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "cannot listen for control calls: address=%s, port=%d, error=%s; change %s"
              .formatted(settings.host(), settings.port(), rootMessage(e), settings.portKey()),
          e);
    }
    server.start();
    return new ControlServer(server);
  }

  private static Configuration configure(Configuration base, CallLimits limits) {
    Configuration configuration = new Configuration(base);
    configuration.setClassLoader(ControlServer.class.getClassLoader());
    RPC.setProtocolEngine(configuration, VdfsControlPB.class, ProtobufRpcEngine2.class);
    configuration.setInt(
        CommonConfigurationKeys.IPC_MAXIMUM_DATA_LENGTH, CallLimits.MAX_CALL_BYTES);
    configuration.setInt(
        CommonConfigurationKeysPublic.IPC_SERVER_MAX_CONNECTIONS_KEY, limits.connections());
    configuration.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECTION_MAXIDLETIME_KEY, IDLE_MILLIS);
    // idle connections are closed however few there are, and all of them at a time
    configuration.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_IDLETHRESHOLD_KEY, 0);
    configuration.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_KILL_MAX_KEY, limits.connections());
    configuration.setInt(
        CommonConfigurationKeys.IPC_SERVER_HANDLER_QUEUE_SIZE_KEY, QUEUED_PER_HANDLER);
    return configuration;
  }

  private static String rootMessage(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
  }

  /** Where it listens, with the port it really has. */
  public InetSocketAddress address() {
    return server.getListenerAddress();
  }

  /** Stops listening and closes all connections; calls under way get no answer. */
  @Override
  public void close() {
    server.stop();
  }
}
