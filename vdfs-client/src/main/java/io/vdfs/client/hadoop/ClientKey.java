package io.vdfs.client.hadoop;

/**
 * What a client can be shared by. Immutable.
 *
 * @param user name under which the cluster is called; with simple authentication it is all there is
 *     to an identity
 */
record ClientKey(ClusterTarget target, String user, ClientSettings settings) {}
