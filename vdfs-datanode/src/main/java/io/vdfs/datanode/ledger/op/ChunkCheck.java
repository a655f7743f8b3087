package io.vdfs.datanode.ledger.op;

import com.google.common.base.Strings;
import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.BlockRangeProto;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.common.wire.proto.StreamNode;
import io.vdfs.datanode.ledger.state.FileTable;
import io.vdfs.datanode.ledger.state.GroupParts;
import io.vdfs.datanode.ledger.state.StreamMemory;
import java.util.HashSet;
import java.util.Set;

/**
 * Checks the header and the files of a chunk before any of it is recorded, and counts the memory
 * that they will take. Walks the files in order and remembers the last one, which the next message
 * may continue. Used for one chunk.
 */
final class ChunkCheck {
  static final int MAX_TASKS = 100_000;
  private static final int MAX_NODES = 65_536;
  private static final int MAX_GROUP_BLOCKS = 4096;
  private static final int NODE_ID_BYTES = 16;
  private static final int SHOWN_CHARACTERS = 200;

  private final String stream;
  private final StreamHeader header;
  private final StreamBounds bounds;
  private int files;
  private long handedOut;
  private long memory;
  private StreamFile last = StreamFile.getDefaultInstance();
  private long lastEnd;

  /**
   * @param stream names the stream in messages
   * @param table files of the chunks before
   * @param handedOut blocks of these
   */
  ChunkCheck(
      String stream, StreamHeader header, FileTable table, long handedOut, StreamBounds bounds) {
    this.stream = stream;
    this.header = header;
    this.bounds = bounds;
    this.files = table.size();
    this.handedOut = handedOut;
    if (files > 0) {
      last = table.pinned(files - 1).build();
      lastEnd = table.file(files - 1).end();
    }
  }

  void header() throws VdfsException {
    require(
        header.getTasks() >= 1 && header.getTasks() <= MAX_TASKS,
        "a stream has 1 to %s tasks: tasks=%s",
        MAX_TASKS,
        header.getTasks());
    require(
        header.getBlockSize() >= 1, "block size must be positive: size=%s", header.getBlockSize());
    require(
        header.getGroupBlocks() >= 1 && header.getGroupBlocks() <= MAX_GROUP_BLOCKS,
        "a group has 1 to %s blocks: groupBlocks=%s",
        MAX_GROUP_BLOCKS,
        header.getGroupBlocks());
    require(
        header.getSurplusTasks() >= 0
            && header.getSurplusTasks() < header.getTasks()
            && (header.getSurplusTasks() == 0 || header.getAudited()),
        "a stream has fewer surplus tasks than tasks, and none unless it is audited:"
            + " surplusTasks=%s, tasks=%s, audited=%s",
        Integer.toUnsignedString(header.getSurplusTasks()),
        header.getTasks(),
        header.getAudited());
    require(
        header.getNodesCount() <= MAX_NODES,
        "a stream has at most %s nodes: nodes=%s",
        MAX_NODES,
        header.getNodesCount());
    if (bounds.geometry().isPresent()) {
      geometry(bounds.geometry().get());
    }
    nodes();
    memory += StreamMemory.of(header);
  }

  /** Bytes of heap that the checked files add to the stream. */
  long memory() {
    return memory;
  }

  private void geometry(ClusterGeometry cluster) throws VdfsException {
    require(
        header.getBlockSize() == cluster.blockSize()
            && header.getGroupBlocks() == cluster.groupBlocks(),
        "a stream has the blocks and groups of its cluster: blockSize=%s, groupBlocks=%s,"
            + " expected=%s",
        header.getBlockSize(),
        header.getGroupBlocks(),
        cluster);
  }

  private void nodes() throws VdfsException {
    Set<ByteString> ids = new HashSet<>();
    for (StreamNode node : header.getNodesList()) {
      require(
          node.getNode().size() == NODE_ID_BYTES,
          "a node id has 16 bytes: length=%s",
          node.getNode().size());
      require(ids.add(node.getNode()), "a node is listed twice: index=%s", ids.size());
      for (int neighbour : node.getNeighboursList()) {
        requireNode(neighbour, "neighbour");
      }
    }
  }

  void file(StreamFile file) throws VdfsException {
    require(
        file.getPath().length() <= bounds.pathLength(),
        "a path has at most %s characters: path=%s",
        bounds.pathLength(),
        path(file));
    boolean continues = files > 0 && file.getIndex() == files - 1;
    if (continues) {
      sameAsLast(file);
    } else {
      require(
          file.getIndex() == files,
          "files are numbered without gaps: index=%s, expected=%s",
          Integer.toUnsignedString(file.getIndex()),
          files);
      pinned(file);
      memory += StreamMemory.of(file);
      files++;
      lastEnd = 0;
    }
    ranges(file);
    groupNodes(file);
    last = file;
  }

  private void sameAsLast(StreamFile file) throws VdfsException {
    boolean same =
        file.getFile().equals(last.getFile())
            && file.getLength() == last.getLength()
            && file.getPath().equals(last.getPath());
    require(same, "a file continues as another one: path=%s", path(file));
  }

  private void pinned(StreamFile file) throws VdfsException {
    require(
        file.getFile().getFileId() > 0 && file.getFile().getGeneration() > 0,
        "a file needs its id and generation: path=%s",
        path(file));
    require(!file.getPath().isEmpty(), "a file needs its path: index=%s", file.getIndex());
    require(
        file.getLength() >= 0 && blocks(file) <= Integer.MAX_VALUE,
        "file too long for its block size: path=%s, length=%s, blockSize=%s",
        path(file),
        Long.toUnsignedString(file.getLength()),
        header.getBlockSize());
  }

  private void ranges(StreamFile file) throws VdfsException {
    long blocks = blocks(file);
    for (BlockRangeProto range : file.getRangesList()) {
      long first = range.getFirst();
      long count = range.getCount();
      boolean inside = first >= lastEnd && first <= blocks && count >= 1 && count <= blocks - first;
      require(
          inside,
          "block ranges must ascend within the file: path=%s, first=%s, count=%s, after=%s,"
              + " blocks=%s",
          path(file),
          Long.toUnsignedString(first),
          Long.toUnsignedString(count),
          lastEnd,
          blocks);
      memory += StreamMemory.ofRange(lastEnd, first, count, header.getGroupBlocks());
      lastEnd = first + count;
      handedOut += count;
      if (header.getWholeGroups()) {
        wholeGroups(file, first, blocks);
      }
    }
    require(
        handedOut <= bounds.blocks(),
        "a stream has at most %s blocks, give the input to several jobs: blocks=%s",
        bounds.blocks(),
        handedOut);
  }

  private void wholeGroups(StreamFile file, long first, long blocks) throws VdfsException {
    int group = header.getGroupBlocks();
    boolean whole = first % group == 0 && (lastEnd % group == 0 || lastEnd == blocks);
    require(
        whole,
        "block ranges must be whole groups: path=%s, first=%s, end=%s, groupBlocks=%s",
        path(file),
        first,
        lastEnd,
        group);
  }

  private void groupNodes(StreamFile file) throws VdfsException {
    long groups = GroupParts.groups(file, header.getGroupBlocks());
    require(
        file.getGroupNodesCount() == groups,
        "each group needs one node: path=%s, groups=%s, nodes=%s",
        path(file),
        groups,
        file.getGroupNodesCount());
    String path = path(file);
    for (int node : file.getGroupNodesList()) {
      requireNode(node, path);
    }
  }

  private long blocks(StreamFile file) {
    long size = header.getBlockSize();
    return file.getLength() / size + (file.getLength() % size == 0 ? 0 : 1);
  }

  private void requireNode(int node, String user) throws VdfsException {
    require(
        node >= 0 && node < header.getNodesCount(),
        "no such node in the stream's node table: node=%s, nodes=%s, for=%s",
        Integer.toUnsignedString(node),
        header.getNodesCount(),
        user);
  }

  /**
   * The part of a file's path that a message may show; the answer to a call is kept for its
   * retries.
   */
  private static String path(StreamFile file) {
    String path = file.getPath();
    return path.length() <= SHOWN_CHARACTERS
        ? path
        : path.substring(0, SHOWN_CHARACTERS) + "... (" + path.length() + " characters)";
  }

  /** Makes the message only where it is needed, as each block range of an input is checked. */
  private void require(boolean condition, String format, Object... values) throws VdfsException {
    if (!condition) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, Strings.lenientFormat(format, values) + ", stream=" + stream);
    }
  }
}
