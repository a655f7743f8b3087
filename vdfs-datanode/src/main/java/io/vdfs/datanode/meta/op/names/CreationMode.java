package io.vdfs.datanode.meta.op.names;

/**
 * The mode that a new inode gets. Immutable.
 *
 * @param masked with the caller's umask applied
 * @param unmasked before that: what a default ACL of the parent filters instead
 */
public record CreationMode(int masked, int unmasked) {
  private static final int OWNER_WRITE_EXECUTE = 0300;
  private static final int PERMISSIONS = 0777;

  /** The mode for a caller without umask. */
  public static CreationMode of(int mode) {
    return new CreationMode(mode, mode);
  }

  /** The mode of a directory that is made on the way: without sticky bit and open to its owner. */
  CreationMode ofParent() {
    return new CreationMode((masked & PERMISSIONS) | OWNER_WRITE_EXECUTE, unmasked);
  }
}
