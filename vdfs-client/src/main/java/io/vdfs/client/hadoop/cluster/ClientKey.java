package io.vdfs.client.hadoop.cluster;

import org.apache.hadoop.security.UserGroupInformation;

/**
 * The key by which clients are shared. Immutable.
 *
 * @param user in whose name the cluster is called; two users of one name may differ in their real
 *     user and in their credentials, so that only the very same object shares a client, as Hadoop
 *     shares filesystems
 */
public record ClientKey(ClusterTarget target, UserGroupInformation user, ClientSettings settings) {
  /**
   * Of the user alone: a JVM has few clients, and hashing all these records is expensive at its
   * start.
   */
  @Override
  public int hashCode() {
    return user.hashCode();
  }
}
