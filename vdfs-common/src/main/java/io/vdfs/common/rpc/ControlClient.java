package io.vdfs.common.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.rpc.ipc.VdfsIpc.Envelope;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.io.retry.RetryPolicies;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.apache.hadoop.thirdparty.protobuf.UnsafeByteOperations;

/**
 * Makes control calls in the name of one user. A call is one attempt: whether and where to try
 * again is the caller's to decide. Thread-safe; connections are shared and closed when idle.
 */
public final class ControlClient implements Closeable {
  private static final int MAX_RESPONSE_BYTES = 64 << 20;
  private static final int PING_MILLIS = 5_000;
  private static final int IDLE_MILLIS = 30_000;

  private final Configuration configuration;
  private final UserGroupInformation user;
  private final ControlClientSettings settings;
  private final ControlSocketFactory sockets;

  /** Guarded by itself; closed proxies never get in again. */
  private final Map<InetSocketAddress, VdfsControlPB> proxies = new HashMap<>();

  private boolean closed; // guarded by proxies

  /**
   * @param base the process' Hadoop configuration, for its security settings; copied
   */
  public ControlClient(
      Configuration base, UserGroupInformation user, ControlClientSettings settings) {
    this.configuration = configure(base, settings);
    this.user = user;
    this.settings = settings;
    this.sockets = new ControlSocketFactory(settings);
  }

  private static Configuration configure(Configuration base, ControlClientSettings settings) {
    Configuration configuration = new Configuration(base);
    configuration.setClassLoader(ControlClient.class.getClassLoader());
    RPC.setProtocolEngine(configuration, VdfsControlPB.class, ProtobufRpcEngine2.class);
    int connectMillis = Math.toIntExact(settings.connectTimeout().toMillis());
    configuration.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, connectMillis);
    configuration.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    configuration.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECTION_MAXIDLETIME_KEY, IDLE_MILLIS);
    configuration.setBoolean(CommonConfigurationKeys.IPC_CLIENT_PING_KEY, true);
    configuration.setInt(CommonConfigurationKeys.IPC_PING_INTERVAL_KEY, PING_MILLIS);
    configuration.setBoolean(CommonConfigurationKeysPublic.IPC_CLIENT_TCPNODELAY_KEY, true);
    configuration.setInt(CommonConfigurationKeys.IPC_MAXIMUM_RESPONSE_LENGTH, MAX_RESPONSE_BYTES);
    return configuration;
  }

  /**
   * Calls {@code method} at {@code server} and waits for the answer. An error inside the answer is
   * the caller's to find.
   *
   * @throws VdfsException UNAVAILABLE if the server can't be reached or doesn't answer in time: the
   *     call then happened or not; PERMISSION_DENIED if it doesn't accept the user;
   *     INVALID_ARGUMENT if the request is too large; INTERNAL if the answer makes no sense
   */
  public <T extends MessageLite> T call(
      InetSocketAddress server, String method, MessageLite request, Parser<T> parser)
      throws VdfsException {
    byte[] answer = call(server, method, request.toByteArray());
    try {
      return parser.parseFrom(answer);
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(
          ErrorCode.INTERNAL,
          "unreadable answer: server=%s, method=%s, bytes=%d"
              .formatted(server, method, answer.length),
          e);
    }
  }

  /**
   * As {@link #call(InetSocketAddress, String, MessageLite, Parser)} with encoded bodies.
   *
   * @param body must not change until the call returns
   */
  public byte[] call(InetSocketAddress server, String method, byte[] body) throws VdfsException {
    if (body.length > ControlMethods.MAX_BODY_BYTES) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "request too large: method=%s, bytes=%d, limit=%d"
              .formatted(method, body.length, ControlMethods.MAX_BODY_BYTES));
    }
    Envelope request =
        Envelope.newBuilder()
            .setMethod(method)
            .setBody(UnsafeByteOperations.unsafeWrap(body))
            .build();
    try {
      return proxy(server).call(null, request).getBody().toByteArray();
    } catch (ServiceException e) {
      throw translate(server, method, e.getCause() == null ? e : e.getCause());
    }
  }

  private VdfsControlPB proxy(InetSocketAddress server) throws VdfsException {
    synchronized (proxies) {
      if (closed) {
        throw new VdfsException(
            ErrorCode.UNAVAILABLE, "the control client is closed: server=" + server);
      }
      VdfsControlPB proxy = proxies.get(server);
      if (proxy == null) {
        proxy = connect(server);
        proxies.put(server, proxy);
      }
      return proxy;
    }
  }

  private VdfsControlPB connect(InetSocketAddress server) throws VdfsException {
    try {
      return RPC.getProtocolProxy(
              VdfsControlPB.class,
              RPC.getProtocolVersion(VdfsControlPB.class),
              server,
              user,
              configuration,
              sockets,
              Math.toIntExact(settings.callTimeout().toMillis()),
              RetryPolicies.TRY_ONCE_THEN_FAIL,
              null)
          .getProxy();
    } catch (IOException e) {
      throw new VdfsException(ErrorCode.UNAVAILABLE, "no proxy: server=" + server, e);
    }
  }

  private VdfsException translate(InetSocketAddress server, String method, Throwable cause) {
    String where = "server=%s, method=%s, user=%s".formatted(server, method, user.getUserName());
    Throwable told = cause;
    if (cause instanceof RemoteException remote) {
      told =
          remote.unwrapRemoteException(AccessControlException.class, AuthorizationException.class);
      if (!(told instanceof AccessControlException)) {
        return new VdfsException(
            ErrorCode.INTERNAL,
            "call failed on the server: %s, error=%s".formatted(where, firstLine(remote)),
            cause);
      }
    }
    if (told instanceof AccessControlException) {
      return new VdfsException(
          ErrorCode.PERMISSION_DENIED,
          "user not accepted: %s, %s".formatted(where, firstLine(told)),
          cause);
    }
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        "server doesn't answer: %s, error=%s".formatted(where, firstLine(told)),
        cause);
  }

  private static String firstLine(Throwable e) {
    String message = e.getMessage() == null ? "" : ": " + e.getMessage();
    int end = message.indexOf('\n');
    return e.getClass().getSimpleName() + (end < 0 ? message : message.substring(0, end));
  }

  @Override
  public void close() {
    synchronized (proxies) {
      closed = true;
      proxies.values().forEach(RPC::stopProxy);
      proxies.clear();
    }
  }
}
