package io.vdfs.it.contract;

/**
 * One arrangement of modes and ACLs: a directory {@code p} with a file {@code f} and a directory
 * {@code d} that holds a file. Immutable.
 *
 * @param path of the directory that holds {@code p}; every user may write there
 * @param parentMode of {@code p}
 * @param parentAcl entries added to it
 * @param childMode of {@code f} and {@code d}
 * @param childAcl entries added to them
 */
record PermissionTree(
    String path, int parentMode, String parentAcl, int childMode, String childAcl) {
  @Override
  public String toString() {
    return "p=%o[%s], children=%o[%s]".formatted(parentMode, parentAcl, childMode, childAcl);
  }
}
