package io.vdfs.client.hadoop.cluster;

import io.vdfs.client.VdfsClient;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/** Clients for tools. Stateless. */
public final class AdminClients {
  private AdminClients() {}

  /**
   * A client by the daemons' settings rather than Hadoop's, not shared. Contacts no server yet.
   *
   * @param zooKeeper addresses as in {@code host:port,host:port}
   * @param root znode below which clusters are kept
   */
  public static VdfsClient open(String cluster, String zooKeeper, String root) throws IOException {
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    ClusterTarget target =
        new ClusterTarget.Named(cluster, List.of(), zooKeeper, "vdfs.zookeeper", root);
    ClientKey key = new ClientKey(target, user, ClientSettings.DEFAULT);
    return ClientOpener.open(key, new Configuration(), user);
  }

  /** A client of the current user as a job has it, not shared. Contacts no server yet. */
  public static VdfsClient open(URI uri, Configuration configuration) throws IOException {
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    ClusterTarget target = ClusterTargets.resolve(uri, configuration);
    ClientKey key = new ClientKey(target, user, ClientSettings.read(configuration));
    return ClientOpener.open(key, configuration, user);
  }
}
