package io.vdfs.common.cluster;

import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.KeyPurposes;
import io.vdfs.common.security.MacKey;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;

/**
 * The access rights to a cluster's znodes: nodes, which prove themselves by a digest of the cluster
 * key, one of each generation, may do everything; all others may read. Znodes above the clusters
 * are open, so that other clusters can be formatted there. Immutable.
 */
final class ZooKeeperAccess implements ACLProvider {
  private static final String SCHEME = "digest";
  private static final byte[] KIND = "access".getBytes(StandardCharsets.US_ASCII);

  private final String prefix;
  private final List<String> identities;
  private final List<ACL> ofClusters;

  /**
   * @param prefix znode below which clusters are kept
   */
  ZooKeeperAccess(String prefix, ClusterKey key) {
    MacKey derived = key.derive(KeyPurposes.ZOOKEEPER);
    this.prefix = prefix;
    this.identities =
        derived.macs(KIND).stream()
            .map(secret -> "vdfs:" + HexFormat.of().formatHex(secret))
            .toList();
    List<ACL> acls = new ArrayList<>();
    for (String identity : identities) {
      acls.add(new ACL(ZooDefs.Perms.ALL, new Id(SCHEME, digest(identity))));
    }
    acls.add(new ACL(ZooDefs.Perms.READ, ZooDefs.Ids.ANYONE_ID_UNSAFE));
    // ZooKeeper asks it for null, which immutable lists refuse
    this.ofClusters = Collections.unmodifiableList(acls);
  }

  private static String digest(String identity) {
    try {
      return DigestAuthenticationProvider.generateDigest(identity);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("ZooKeeper has digests", e);
    }
  }

  /** The proofs that a session is a node's. */
  List<AuthInfo> proofs() {
    return identities.stream()
        .map(identity -> new AuthInfo(SCHEME, identity.getBytes(StandardCharsets.US_ASCII)))
        .toList();
  }

  @Override
  public List<ACL> getDefaultAcl() {
    return ofClusters;
  }

  @Override
  public List<ACL> getAclForPath(String path) {
    boolean above = path.equals(prefix) || prefix.startsWith(path + "/") || path.equals("/");
    return above ? ZooDefs.Ids.OPEN_ACL_UNSAFE : ofClusters;
  }
}
