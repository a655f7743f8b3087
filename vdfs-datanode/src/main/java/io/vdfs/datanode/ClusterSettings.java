package io.vdfs.datanode;

import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.config.SettingsReader;
import io.vdfs.common.config.SiteFile;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.security.ClusterKeyFile;
import java.nio.file.Path;

/**
 * The cluster that the settings of a daemon name, for commands that need no node. Immutable.
 *
 * @param zooKeeper where it is recorded
 * @param keyFile for the secret of its nodes
 */
public record ClusterSettings(String name, ZooKeeperSettings zooKeeper, ClusterKeyFile keyFile) {
  /**
   * @param conf directory that holds {@code vdfs-site.xml}
   * @throws VdfsException MISCONFIGURED naming key, value and cure
   */
  public static ClusterSettings load(Path conf) throws VdfsException {
    Path file = conf.resolve(DaemonSettings.SITE_FILE);
    SettingsReader site = new SettingsReader(SiteFile.read(file), file.toString());
    site.requireKnown("vdfs.", DaemonSettings.ALL);
    return new ClusterSettings(
        site.get(DaemonSettings.CLUSTER_NAME),
        DaemonSettings.zooKeeper(site),
        DaemonSettings.clusterKeyFile(site, conf));
  }
}
