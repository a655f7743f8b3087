package io.vdfs.datanode.ledger;

import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.datanode.ledger.state.GroupParts;
import java.util.SplittableRandom;

/** Random small inputs: empty files, short last blocks, parts of files, nodes without blocks. */
final class RandomInput {
  private static final int MAX_FILE_BLOCKS = 8;

  private final SplittableRandom random;

  RandomInput(SplittableRandom random) {
    this.random = random;
  }

  TestStream stream(long id) {
    int nodes = 1 + random.nextInt(4);
    TestStream stream = new TestStream(id, 1 + random.nextInt(5), nodes, 1 + random.nextInt(3));
    stream.header().setWholeGroups(random.nextInt(5) == 0);
    stream.header().setNoStealing(random.nextInt(6) == 0);
    if (random.nextInt(3) == 0) {
      for (int node = 0; node < nodes; node++) {
        stream.header().getNodesBuilder(node).addNeighbours((node + 1) % nodes);
        stream.header().getNodesBuilder(node).addNeighbours((node + nodes - 1) % nodes);
      }
    }
    int files = random.nextInt(6);
    for (int file = 0; file < files; file++) {
      if (!stream.header().getWholeGroups() && random.nextInt(6) == 0) {
        partOfFile(stream, nodes);
      } else {
        int[] owners = random.ints(1 + random.nextInt(4), 0, nodes).toArray();
        stream.file(length(), owners);
      }
    }
    return stream;
  }

  private long length() {
    return random.nextInt(5) == 0 ? 0 : random.nextInt(MAX_FILE_BLOCKS * TestStream.BLOCK_SIZE) + 1;
  }

  /** Blocks 1 and 3 to 5 of a file of seven blocks. */
  private void partOfFile(TestStream stream, int nodes) {
    int group = stream.header().getGroupBlocks();
    StreamFile.Builder file = stream.newFile(7L * TestStream.BLOCK_SIZE);
    file.addRanges(TestStream.range(1, 1)).addRanges(TestStream.range(3, 3));
    long groups = GroupParts.groups(file.build(), group);
    for (long i = 0; i < groups; i++) {
      file.addGroupNodes(random.nextInt(nodes));
    }
    stream.add(file.build(), 4, 4L * TestStream.BLOCK_SIZE);
  }
}
