package io.vdfs.datanode.meta.state;

/** Place of an inode in the tree; ordered by parent, then by name as UTF-8 bytes. Immutable. */
record NameKey(long parentId, String name) implements Comparable<NameKey> {
  @Override
  public int compareTo(NameKey other) {
    int byParent = Long.compare(parentId, other.parentId);
    return byParent != 0 ? byParent : compareNames(name, other.name);
  }

  /** UTF-8 order is the order of code points; UTF-16 order is another one beyond U+FFFF. */
  private static int compareNames(String left, String right) {
    int length = Math.min(left.length(), right.length());
    for (int i = 0; i < length; i++) {
      char a = left.charAt(i);
      char b = right.charAt(i);
      if (a != b) {
        boolean bothOrNone = Character.isSurrogate(a) == Character.isSurrogate(b);
        return bothOrNone ? Character.compare(a, b) : Character.isSurrogate(a) ? 1 : -1;
      }
    }
    return Integer.compare(left.length(), right.length());
  }
}
