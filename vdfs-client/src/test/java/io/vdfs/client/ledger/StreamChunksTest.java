package io.vdfs.client.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamHeader;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StreamChunksTest {
  private static final ClusterGeometry GEOMETRY = ClusterGeometry.DEFAULT;
  private static final NodeId FIRST = new NodeId(new UUID(7, 0));
  private static final NodeId SECOND = new NodeId(new UUID(7, 1));

  private static List<CreateStreamChunkOp> requests(List<StreamPlan.File> files) {
    return new StreamChunks(
            new StreamPlan(
                new StreamId(1, 2),
                new StreamPlan.Draws(3, 1, true, true, false),
                GEOMETRY,
                List.of(
                    new StreamPlan.Node(FIRST, Set.of()),
                    new StreamPlan.Node(SECOND, Set.of(FIRST))),
                files))
        .requests();
  }

  private static StreamPlan.File file(int id, int groups) {
    return new StreamPlan.File(
        new FileKey(id, 1),
        groups * GEOMETRY.groupSize(),
        "/in",
        Collections.nCopies(groups, SECOND));
  }

  @Test
  void shouldDescribeTheJobInTheFirstChunk() {
    StreamHeader header = requests(List.of(file(1, 1))).get(0).getHeader();
    assertEquals(3, header.getTasks());
    assertEquals(1, header.getSurplusTasks());
    assertTrue(header.getWholeGroups());
    assertTrue(header.getAudited());
    assertTrue(header.getNoStealing());
    assertEquals(GEOMETRY.blockSize(), header.getBlockSize());
    assertEquals(GEOMETRY.groupBlocks(), header.getGroupBlocks());
    assertEquals(List.of(), header.getNodes(0).getNeighboursList());
    assertEquals(List.of(0), header.getNodes(1).getNeighboursList());
  }

  @Test
  void shouldContinueAFileOfManyGroupsInTheNextPiece() {
    int groups = 20_000;
    List<StreamFile> pieces =
        requests(List.of(file(1, groups))).stream()
            .flatMap(chunk -> chunk.getFilesList().stream())
            .toList();
    assertEquals(3, pieces.size());
    long next = 0;
    int owners = 0;
    for (StreamFile piece : pieces) {
      assertEquals(0, piece.getIndex());
      assertEquals(next, piece.getRanges(0).getFirst());
      next += piece.getRanges(0).getCount();
      owners += piece.getGroupNodesCount();
      assertTrue(piece.getGroupNodesList().stream().allMatch(node -> node == 1));
    }
    assertEquals((long) groups * GEOMETRY.groupBlocks(), next);
    assertEquals(groups, owners);
  }

  @Test
  void shouldCutManyFilesIntoChunksThatAreNumbered() {
    int files = 10_000;
    List<CreateStreamChunkOp> requests =
        requests(IntStream.rangeClosed(1, files).mapToObj(id -> file(id, 1)).toList());
    assertTrue(requests.size() > 1);
    int index = 0;
    for (int chunk = 0; chunk < requests.size(); chunk++) {
      CreateStreamChunkOp request = requests.get(chunk);
      assertEquals(chunk, request.getChunkIndex());
      assertEquals(chunk == 0, request.hasHeader());
      assertTrue(request.getSerializedSize() < 128 << 10, request::toString);
      for (StreamFile file : request.getFilesList()) {
        assertEquals(index, file.getIndex());
        index++;
      }
    }
    assertEquals(files, index);
  }
}
