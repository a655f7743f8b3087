package io.vdfs.client.hadoop.cluster;

import org.apache.hadoop.security.UserGroupInformation;

/**
 * What a client can be shared by. Immutable.
 *
 * @param user in whose name the cluster is called; two of one name may differ in who they really
 *     are and in what they can prove, so that only the very same one shares a client, as Hadoop
 *     shares filesystems
 */
public record ClientKey(ClusterTarget target, UserGroupInformation user, ClientSettings settings) {
  /**
   * Of the user alone: a JVM has few clients, and hashes of all these records are dear at its
   * start.
   */
  @Override
  public int hashCode() {
    return user.hashCode();
  }
}
