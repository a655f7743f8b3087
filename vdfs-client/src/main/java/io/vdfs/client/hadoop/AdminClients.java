package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/** Clients for tools that have the daemons' settings rather than Hadoop's. */
public final class AdminClients {
  private AdminClients() {}

  /**
   * A client of the current user, not shared. Contacts nobody yet.
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
}
