package io.vdfs.datanode.ledger;

import static io.vdfs.datanode.ledger.StreamDriver.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.SealStreamResult;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamNode;
import io.vdfs.datanode.ledger.op.StreamBounds;
import io.vdfs.datanode.ledger.state.Caller;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class CreateStreamTest {
  private static final Caller MALLORY = new Caller("mallory", false);

  private final LedgerHost host = new LedgerHost();
  private final TestStream stream = new TestStream(1, 2, 2, 2).file(45, 0, 1).file(0).file(7, 1);

  @Test
  void shouldCreateStreamOfSeveralChunks() throws VdfsException {
    int accepted = 0;
    for (LedgerRequest chunk : stream.chunks(3)) {
      assertEquals(++accepted, call(chunk).getCreateChunk().getChunks());
    }
    SealStreamResult sealed = call(stream.seal()).getSeal();
    assertEquals(3, sealed.getFiles());
    assertEquals(6, sealed.getTotals().getBlocks());
    assertEquals(52, sealed.getTotals().getBytes());
  }

  @Test
  void shouldAcceptRepeatedRequestsWithoutRecords() throws VdfsException {
    for (LedgerRequest chunk : stream.chunks(2)) {
      call(chunk);
      call(chunk);
    }
    call(stream.seal());
    int records = host.log().size();
    call(stream.seal());
    call(stream.chunks(2).get(1));
    assertEquals(records, host.log().size());
    assertEquals(4, records, "created, two chunks, sealed");
  }

  @Test
  void shouldContinueFileInNextMessageAndChunk() throws VdfsException {
    TestStream big = new TestStream(2, 1, 1, 2);
    StreamFile.Builder file = big.newFile(60);
    big.add(
        file.clone().addRanges(TestStream.range(0, 3)).addGroupNodes(0).addGroupNodes(0).build(),
        3,
        30);
    big.add(file.clone().addRanges(TestStream.range(3, 1)).addGroupNodes(0).build(), 1, 10);
    big.add(file.clone().addRanges(TestStream.range(4, 2)).addGroupNodes(0).build(), 2, 20);
    call(big.chunk(0, big.files().subList(0, 2)));
    call(big.chunk(1, big.files().subList(2, 3)));
    assertEquals(1, call(big.seal()).getSeal().getFiles());
    assertEquals(1, host.ledger().streamCount());
  }

  @Test
  void shouldRefuseChunkWithOtherContent() throws VdfsException {
    call(stream.chunks(1).get(0));
    refused("other content", stream.chunks(2).get(0));
  }

  @Test
  void shouldRefuseChunkAfterGap() throws VdfsException {
    List<LedgerRequest> chunks = stream.chunks(3);
    call(chunks.get(0));
    refused("without gaps", chunks.get(2));
    refused("without gaps", stream.chunk(-1, List.of()));
  }

  @Test
  void shouldNotCreateStreamByLaterChunk() {
    assertFails(ErrorCode.NOT_FOUND, "no such stream", () -> call(stream.chunks(2).get(1)));
  }

  @Test
  void shouldRefuseChunkOfSealedStream() throws VdfsException {
    call(stream.chunks(1).get(0));
    call(stream.seal());
    refused("sealed", stream.chunk(1, List.of()));
  }

  @Test
  void shouldRefuseSecondHeader() throws VdfsException {
    LedgerRequest first = stream.chunks(2).get(0);
    call(first);
    LedgerRequest.Builder second = stream.chunks(2).get(1).toBuilder();
    second.getCreateChunkBuilder().setHeader(stream.header());
    refused("only chunk 0", second.build());
  }

  @Test
  void shouldRefuseSealWithOtherTotals() throws VdfsException {
    call(stream.chunks(1).get(0));
    refused("expectedFiles=2", stream.seal(2, 6, 52));
    refused("expectedBlocks=7", stream.seal(3, 7, 52));
    refused("expectedBytes=53", stream.seal(3, 6, 53));
    call(stream.seal());
    refused("expectedBytes=53", stream.seal(3, 6, 53));
  }

  @Test
  void shouldRefuseOtherUsersChunkAndSeal() throws VdfsException {
    call(stream.chunks(2).get(0));
    assertFails(
        ErrorCode.PERMISSION_DENIED,
        "caller=mallory",
        () -> host.call(stream.chunks(2).get(1), MALLORY, 1));
    assertFails(
        ErrorCode.PERMISSION_DENIED, "owner=alice", () -> host.call(stream.seal(), MALLORY, 1));
  }

  @Test
  void shouldRefuseMalformedHeader() {
    refusedHeader("1 to 100000 tasks", s -> s.header().setTasks(0));
    refusedHeader("tasks=100001", s -> s.header().setTasks(TestStream.MOST_TASKS + 1));
    refusedHeader("block size", s -> s.header().setBlockSize(0));
    refusedHeader("1 to 4096 blocks", s -> s.header().setGroupBlocks(0));
    refusedHeader("1 to 4096 blocks", s -> s.header().setGroupBlocks(4097));
    refusedHeader("listed twice", s -> s.header().addNodes(s.header().getNodes(0)));
    refusedHeader(
        "16 bytes", s -> s.header().addNodes(StreamNode.newBuilder().setNode(ByteString.EMPTY)));
    refusedHeader("node=9", s -> s.header().getNodesBuilder(0).addNeighbours(9));
  }

  @Test
  void shouldRefuseMalformedFile() {
    refusedFile("index=4", f -> f.setIndex(4));
    refusedFile("id and generation", StreamFile.Builder::clearFile);
    refusedFile("needs its path", StreamFile.Builder::clearPath);
    refusedFile("too long", f -> f.setLength(Long.MAX_VALUE));
    refusedFile("too long", f -> f.setLength(-1));
    refusedFile("must ascend", f -> f.addRanges(TestStream.range(4, 1)));
    refusedFile("must ascend", f -> f.addRanges(TestStream.range(5, 1)));
    refusedFile("must ascend", f -> f.setRanges(0, TestStream.range(0, 0)));
    refusedFile("must ascend", f -> f.setRanges(0, TestStream.range(-1, 2)));
    refusedFile("must ascend", f -> f.setRanges(0, TestStream.range(1, Long.MAX_VALUE)));
    refusedFile("one node", f -> f.addGroupNodes(1));
    refusedFile("one node", StreamFile.Builder::clearGroupNodes);
    refusedFile("no such node", f -> f.setGroupNodes(0, 2));
  }

  @Test
  void shouldRefuseContinuationOfOtherFile() {
    TestStream bad = new TestStream(4, 1, 1, 2).file(20, 0);
    bad.add(bad.newFile(20).setIndex(0).build(), 0, 0);
    assertFails(ErrorCode.INVALID_ARGUMENT, "another one", () -> call(bad.chunks(1).get(0)));
  }

  @Test
  void shouldRefusePartsOfGroupsWhereRunsAreGroups() {
    TestStream rows = new TestStream(3, 1, 1, 2);
    rows.header().setWholeGroups(true);
    StreamFile.Builder file = rows.newFile(50).addRanges(TestStream.range(0, 3));
    rows.add(file.addGroupNodes(0).addGroupNodes(0).build(), 3, 30);
    assertFails(ErrorCode.INVALID_ARGUMENT, "whole groups", () -> call(rows.chunks(1).get(0)));
  }

  @Test
  void shouldRefuseMalformedStreamIdAndEmptyRequest() {
    LedgerRequest.Builder request = stream.chunks(1).get(0).toBuilder();
    request.getCreateChunkBuilder().setStreamId(ByteString.copyFromUtf8("short"));
    refused("length=5", request.build());
    assertFails(ErrorCode.UNSUPPORTED, "operation", () -> call(LedgerRequest.getDefaultInstance()));
  }

  @Test
  void shouldRecordNothingOfRefusedChunk() {
    refusedFile("one node", f -> f.addGroupNodes(1));
    assertTrue(host.log().isEmpty());
    assertFalse(host.ledger().hasExpired(Long.MAX_VALUE));
  }

  @Test
  void shouldRefuseOtherBlocksThanThoseOfTheCluster() throws VdfsException {
    host.bound(StreamBounds.of(ClusterGeometry.DEFAULT, 100, Long.MAX_VALUE));
    TestStream fitting = new TestStream(7, 1, 1, 16);
    fitting.header().setBlockSize(8 << 20);
    fitting.header().setGroupBlocks(4096);
    refused("groupBlocks=4096", fitting.chunk(0, List.of()));
    fitting.header().setGroupBlocks(16).setBlockSize(1);
    refused("blockSize=1,", fitting.chunk(0, List.of()));
    fitting.header().setBlockSize(8 << 20);
    call(fitting.chunk(0, List.of()));
  }

  @Test
  void shouldRefuseLongPathAndNotRepeatIt() throws VdfsException {
    host.bound(bounds(1000, 10));
    String path = "/" + "x".repeat(999);
    TestStream paths = new TestStream(7, 1, 1, 1);
    StreamFile.Builder file = paths.newFile(10).setPath(path + "y");
    LedgerRequest tooLong = paths.chunk(0, List.of(file.build()));
    VdfsException e =
        assertFails(ErrorCode.INVALID_ARGUMENT, "at most 1000 characters", () -> call(tooLong));
    assertTrue(e.getMessage().length() < 400, e.getMessage());
    call(paths.chunk(0, List.of(file.setPath(path).build())));
  }

  @Test
  void shouldRefuseMoreBlocksThanAStreamMayHave() throws VdfsException {
    host.bound(new StreamBounds(Optional.empty(), 100, 6, 10, 1, Long.MAX_VALUE));
    TestStream six = new TestStream(7, 1, 1, 2).file(45, 0).file(10, 0);
    call(six.chunks(1).get(0));
    StreamFile.Builder more = six.newFile(10).addRanges(TestStream.range(0, 1)).addGroupNodes(0);
    refused("at most 6 blocks", six.chunk(1, List.of(more.build())));
    call(six.chunk(1, List.of(six.newFile(10).build())));
    TestStream seven = new TestStream(8, 1, 1, 2).file(45, 0).file(20, 0);
    refused("blocks=7", seven.chunks(1).get(0));
  }

  @Test
  void shouldRefuseMoreStreamsThanAUserMayHave() throws VdfsException {
    host.bound(bounds(100, 2));
    call(stream.chunks(1).get(0));
    call(new TestStream(2, 1, 1, 1).chunks(1).get(0));
    LedgerRequest third = new TestStream(3, 1, 1, 1).chunks(1).get(0);
    assertFails(ErrorCode.QUOTA_EXCEEDED, "user=alice, streams=2", () -> call(third));
    call(stream.chunks(1).get(0));
    host.call(new TestStream(4, 1, 1, 1).chunks(1).get(0), MALLORY, 1000);
    host.takeSnapshot();
    host.changeLeader();
    assertFails(ErrorCode.QUOTA_EXCEEDED, "at most 2 streams", () -> call(third));
    call(Requests.release(stream.id()));
    call(third);
    host.call(Requests.expire(), LedgerHost.SUPERUSER, Long.MAX_VALUE);
    call(stream.chunks(1).get(0));
  }

  @Test
  void shouldRefuseMoreMemoryThanAUsersStreamsMayTake() throws VdfsException {
    host.bound(new StreamBounds(Optional.empty(), 1000, 100, 10, 1, 10_000));
    TestStream two = longPaths(7, 3);
    call(two.chunk(0, two.files().subList(0, 2)));
    call(two.chunk(1, two.files().subList(2, 3)));
    TestStream other = longPaths(8, 1);
    LedgerRequest beyond = other.chunk(0, other.files());
    VdfsException e =
        assertFails(ErrorCode.QUOTA_EXCEEDED, "user=alice, bytes=12168", () -> call(beyond));
    assertTrue(e.getMessage().contains("at most 10000 bytes"), e.getMessage());
    TestStream more = longPaths(7, 4);
    LedgerRequest next = more.chunk(2, more.files().subList(3, 4));
    assertFails(ErrorCode.QUOTA_EXCEEDED, "user=alice", () -> call(next));
    call(new TestStream(9, 1, 1, 1).chunk(0, List.of()));
    host.call(longPaths(10, 3).chunks(1).get(0), MALLORY, 1000);
    host.takeSnapshot();
    host.changeLeader();
    assertFails(ErrorCode.QUOTA_EXCEEDED, "user=alice, bytes=13600", () -> call(beyond));
    call(Requests.release(two.id()));
    call(beyond);
    host.bound(StreamBounds.NONE);
    call(longPaths(11, 9).chunks(1).get(0));
  }

  @Test
  void shouldCountHeadersAndRangesAsMemory() {
    host.bound(new StreamBounds(Optional.empty(), 1000, 1000, 10, 1, 10_000));
    TestStream nodes = new TestStream(7, 1, 24, 1);
    assertFails(ErrorCode.QUOTA_EXCEEDED, "bytes=10264", () -> call(nodes.chunk(0, List.of())));
    TestStream gaps = new TestStream(8, 1, 1, 4);
    StreamFile.Builder file = gaps.newFile(5_000).setPath("/gaps");
    for (int range = 0; range < 200; range++) {
      file.addRanges(TestStream.range(2L * range, 1));
    }
    for (int group = 0; group < 100; group++) {
      file.addGroupNodes(0);
    }
    LedgerRequest pieces = gaps.chunk(0, List.of(file.build()));
    assertFails(ErrorCode.QUOTA_EXCEEDED, "bytes=14498", () -> call(pieces));
  }

  @Test
  void shouldCountTheSameMemoryAfterASnapshotOfAFileThatWasContinued() throws VdfsException {
    TestStream big = new TestStream(2, 1, 1, 4);
    StreamFile.Builder file = big.newFile(200);
    for (long first : new long[] {0, 3, 5, 9, 12}) {
      StreamFile.Builder piece = file.clone().addRanges(TestStream.range(first, 2));
      piece.addGroupNodes(0);
      if (first == 3) {
        piece.addGroupNodes(0);
      }
      big.add(piece.build(), 2, 20);
    }
    for (LedgerRequest chunk : big.chunks(3)) {
      call(chunk);
    }
    host.bound(new StreamBounds(Optional.empty(), 1000, 1000, 10, 1, 0));
    LedgerRequest probe = new TestStream(3, 1, 1, 1).chunk(0, List.of());
    String before = assertFails(ErrorCode.QUOTA_EXCEEDED, "bytes=", () -> call(probe)).getMessage();
    host.takeSnapshot();
    host.changeLeader();
    assertFails(ErrorCode.QUOTA_EXCEEDED, before, () -> call(probe));
  }

  /** Each file has one block and a path of 1000 characters. */
  private static TestStream longPaths(long id, int files) {
    TestStream stream = new TestStream(id, 1, 1, 1);
    for (int file = 0; file < files; file++) {
      StreamFile.Builder named = stream.newFile(10).setPath("/" + "x".repeat(999));
      stream.add(named.addRanges(TestStream.range(0, 1)).addGroupNodes(0).build(), 1, 10);
    }
    return stream;
  }

  private static StreamBounds bounds(int pathLength, int streams) {
    return new StreamBounds(Optional.empty(), pathLength, 100, streams, 1, Long.MAX_VALUE);
  }

  private void refusedHeader(String part, Consumer<TestStream> change) {
    TestStream bad = new TestStream(5, 1, 2, 2).file(10, 0);
    change.accept(bad);
    refused(part, bad.chunks(1).get(0));
  }

  private void refusedFile(String part, Consumer<StreamFile.Builder> change) {
    TestStream bad = new TestStream(6, 1, 2, 2);
    StreamFile.Builder file = bad.newFile(50).addRanges(TestStream.range(0, 5));
    file.addGroupNodes(0).addGroupNodes(1).addGroupNodes(0);
    change.accept(file);
    refused(part, bad.chunk(0, List.of(file.build())));
  }

  private void refused(String part, LedgerRequest request) {
    assertFails(ErrorCode.INVALID_ARGUMENT, part, () -> call(request));
  }

  private LedgerResponse call(LedgerRequest request) throws VdfsException {
    return host.call(request, LedgerHost.USER, 1000);
  }
}
