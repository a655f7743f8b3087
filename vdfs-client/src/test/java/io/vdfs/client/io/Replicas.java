package io.vdfs.client.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.VdfsException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Checks what lies on the nodes. */
public final class Replicas {
  private Replicas() {}

  /** Every replica that is not excluded holds the first {@code length} bytes of {@code content}. */
  public static void assertHold(TestCluster cluster, byte[] content, long length)
      throws VdfsException {
    FileView view = cluster.metadata.view();
    int groupSize = (int) TestCluster.GEOMETRY.groupSize();
    for (int group = 0; group < TestCluster.GEOMETRY.groupCount(length); group++) {
      int from = group * groupSize;
      int to = (int) Math.min(length, from + (long) groupSize);
      for (ReplicaNode replica : cluster.replicas(view.file(), group)) {
        if (!view.excludes(replica.id(), group)) {
          byte[] held = cluster.node(replica.id()).store.bytes(view.file(), group);
          String where = "group=" + group + ", replica=" + replica + ", view=" + view;
          assertTrue(held.length >= to - from, () -> where + ", held=" + held.length);
          assertEquals(
              -1,
              Arrays.mismatch(
                  Arrays.copyOfRange(content, from, to), Arrays.copyOf(held, to - from)),
              where);
        }
      }
    }
  }

  /** The metadata were told the checksum of each group of {@code content}. */
  public static void assertChecksumsTold(FakeMetadata metadata, byte[] content) {
    Map<Integer, Integer> expected = new TreeMap<>();
    int groupSize = (int) TestCluster.GEOMETRY.groupSize();
    for (int group = 0; group < TestCluster.GEOMETRY.groupCount(content.length); group++) {
      int from = group * groupSize;
      int bytes = Math.min(groupSize, content.length - from);
      expected.put(group, Crc32c.of(ByteBuffer.wrap(content, from, bytes)));
    }
    assertEquals(expected, metadata.checksums());
  }

  /** No replica that is not excluded holds more than the file has. */
  public static void assertNoMore(TestCluster cluster, long length) throws VdfsException {
    FileView view = cluster.metadata.view();
    long groupSize = TestCluster.GEOMETRY.groupSize();
    for (int group = 0; group <= TestCluster.GEOMETRY.groupCount(length); group++) {
      long most = Math.max(0, Math.min(groupSize, length - group * groupSize));
      for (ReplicaNode replica : cluster.replicas(view.file(), group)) {
        if (!view.excludes(replica.id(), group)) {
          int held = cluster.node(replica.id()).store.bytes(view.file(), group).length;
          assertTrue(held <= most, "group=" + group + ", replica=" + replica + ", held=" + held);
        }
      }
    }
  }
}
