package io.vdfs.datanode.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterCopyFileTest {
  private static final RingNode NODE =
      new RingNode(new NodeId(new UUID(0, 1)), "host-1", 1, 2, 3, 0, "/r", 2, 1);
  private static final ClusterCopy COPY =
      new ClusterCopy(
          new ClusterProperties(
              new UUID(1, 1),
              new ClusterGeometry(1 << 16, 4, 1 << 12, 60),
              3,
              1,
              0,
              "vdfs",
              "supergroup",
              1 << 20,
              Placement.TURN),
          RingPlanner.plan(Optional.empty(), List.of(NODE), 3, 60).map(),
          new MetadataGroup(new UUID(2, 2), List.of(MetadataMember.of(NODE)), 5, List.of()));

  @TempDir Path directory;

  private ClusterCopyFile file() {
    return new ClusterCopyFile(directory.resolve("metadata").resolve("cluster.copy"));
  }

  @Test
  void shouldReadWhatItWrote() throws IOException {
    assertEquals(Optional.empty(), file().read());
    file().write(COPY);
    assertEquals(Optional.of(COPY), file().read());
    ClusterCopy next =
        new ClusterCopy(
            COPY.properties(), COPY.ring(), COPY.group().withMembers(COPY.group().members(), 6));
    file().write(next);
    assertEquals(Optional.of(next), file().read());
  }

  @Test
  void shouldNotTakeAnyByteThatIsNotTheWritten() throws IOException {
    file().write(COPY);
    byte[] written = Files.readAllBytes(file().path());
    for (int i = 0; i < written.length; i++) {
      byte[] damaged = written.clone();
      damaged[i] ^= 0x10;
      assertDamaged(damaged);
    }
    for (int length = 0; length < written.length; length++) {
      assertDamaged(Arrays.copyOf(written, length));
    }
  }

  private void assertDamaged(byte[] bytes) throws IOException {
    Files.write(file().path(), bytes);
    VdfsException e = assertThrows(VdfsException.class, () -> file().read());
    assertEquals(ErrorCode.CORRUPT, e.code());
    assertTrue(e.getMessage().contains(file().path().toString()), e.getMessage());
  }
}
