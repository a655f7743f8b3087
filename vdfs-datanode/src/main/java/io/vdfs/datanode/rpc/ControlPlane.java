package io.vdfs.datanode.rpc;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.rpc.ControlClient;
import io.vdfs.common.rpc.ControlClientSettings;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlServer;
import io.vdfs.common.rpc.ControlServerSettings;
import io.vdfs.datanode.rpc.request.Callers;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The parts of the control plane of one daemon that come from Hadoop: its configuration, the
 * daemon's own user and the groups of others. Thread-safe.
 */
public final class ControlPlane implements Closeable {
  private final Configuration configuration;
  private final UserGroupInformation user;
  private final ControlClient client;

  private ControlPlane(Configuration configuration, UserGroupInformation user) {
    this.configuration = configuration;
    this.user = user;
    this.client = new ControlClient(configuration, user, ControlClientSettings.DEFAULT);
  }

  /**
   * @throws VdfsException MISCONFIGURED if the process' user can't be told
   */
  public static ControlPlane open() throws VdfsException {
    try {
      return new ControlPlane(new Configuration(), UserGroupInformation.getLoginUser());
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED, "cannot tell the user of this daemon: " + e.getMessage(), e);
    }
  }

  /**
   * Hadoop's configuration of this daemon: defaults, and {@code core-site.xml} where it finds one.
   */
  public Configuration configuration() {
    return new Configuration(configuration);
  }

  /** Identifies callers, as this machine knows them. */
  public Callers callers(String supergroup) {
    return new Callers(user.getShortUserName(), supergroup, new HadoopGroupLookup(configuration));
  }

  /** Calls other daemons as this daemon's user; closed with this object. */
  public ControlClient client() {
    return client;
  }

  /**
   * Listens for calls; the server is the caller's to close.
   *
   * @throws VdfsException MISCONFIGURED if it can't listen there
   */
  public ControlServer listen(ControlServerSettings settings, Map<String, ControlHandler> handlers)
      throws VdfsException {
    return ControlServer.start(configuration, settings, handlers);
  }

  @Override
  public void close() {
    client.close();
  }
}
