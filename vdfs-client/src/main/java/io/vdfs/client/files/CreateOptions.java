package io.vdfs.client.files;

/**
 * How a file is created. Immutable.
 *
 * @param mode permission bits, umask already applied
 * @param unmaskedMode before that: what a default ACL of the parent filters instead
 * @param overwrite replace a file of that name in the same step
 * @param createParents make missing parent directories
 * @param replication 0: the cluster's
 * @param blockSize as reported to applications; 0: the cluster's default
 */
public record CreateOptions(
    int mode,
    int unmaskedMode,
    boolean overwrite,
    boolean createParents,
    int replication,
    long blockSize) {}
