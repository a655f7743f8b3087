package io.vdfs.datanode.store;

import io.vdfs.common.model.FileKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/**
 * The contents that a group may have after a crash: any beginning of one of a few contents, not
 * shorter than what was acknowledged. Confined to a test.
 */
final class ModelGroup {
  private final FileKey key;
  private final int group;
  private final List<Possible> possible = new ArrayList<>();
  private long fence;

  ModelGroup(FileKey key, int group) {
    this.key = key;
    this.group = group;
    possible.add(new Possible(new byte[0], 0));
  }

  private static final class Possible {
    private final byte[] bytes;
    private final int least;

    private Possible(byte[] bytes, int least) {
      this.bytes = bytes;
      this.least = least;
    }

    private boolean allows(byte[] found) {
      return found.length >= least
          && found.length <= bytes.length
          && Arrays.equals(found, Arrays.copyOf(bytes, found.length));
    }

    @Override
    public String toString() {
      return least + " to " + bytes.length + " bytes " + Arrays.hashCode(bytes);
    }
  }

  FileKey key() {
    return key;
  }

  int group() {
    return group;
  }

  /** From now on {@code bytes}, at least {@code least} of them, are possible too. */
  void mayHold(byte[] bytes, int least) {
    possible.add(new Possible(bytes, least));
  }

  /** From now on nothing else is possible. */
  void holds(byte[] bytes, int least) {
    possible.clear();
    mayHold(bytes, least);
  }

  void fenced(long epoch) {
    fence = epoch;
  }

  long fence() {
    return fence;
  }

  void check(byte[] found, String when) {
    Assertions.assertTrue(
        possible.stream().anyMatch(content -> content.allows(found)),
        () ->
            when
                + ": file="
                + key
                + ", group="
                + group
                + ", found "
                + found.length
                + " bytes "
                + Arrays.hashCode(found)
                + ", possible="
                + possible);
  }
}
