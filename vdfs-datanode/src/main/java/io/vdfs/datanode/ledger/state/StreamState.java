package io.vdfs.datanode.ledger.state;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.proto.BlockRangeProto;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.common.wire.proto.StreamNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The state of one stream: pinned files, pools of blocks that no task owns, lists of those that a
 * task owns. Operations read it; only {@link StreamReplay} changes it. Invariant: pools and lists
 * together partition the blocks to hand out. Confined to the ledger's owner.
 */
public final class StreamState {
  private static final TaskList UNTOUCHED = new TaskList();

  private final StreamId id;
  private final String owner;
  private final StreamHeader header;
  private final Map<ByteString, Integer> nodeIndexes = new HashMap<>();
  private final FileTable files;
  private final List<RangeDeque> pools = new ArrayList<>();
  private final NavigableMap<Integer, TaskList> lists = new TreeMap<>();
  private final long[] taken;
  private final long[] stolen;
  private final long[] lost;
  private final List<Long> chunkSums = new ArrayList<>();
  private Totals totals = Totals.NONE;
  private long remaining;
  private long memory;
  private int closedTasks;
  private int endedTasks;
  private boolean sealed;
  private long expiresMillis;
  private StreamArrival arrival = StreamArrival.NONE;
  private StreamArrival lastYieldedTo = StreamArrival.NONE;
  private int yieldsLeft;
  private int yieldsReceived;
  private boolean begun;

  StreamState(StreamId id, String owner, StreamHeader header, long expiresMillis) {
    this.id = id;
    this.owner = owner;
    this.header = header;
    this.files = new FileTable(header.getBlockSize());
    this.expiresMillis = expiresMillis;
    this.taken = new long[header.getNodesCount()];
    this.stolen = new long[header.getNodesCount()];
    this.lost = new long[header.getNodesCount()];
    this.memory = StreamMemory.of(header);
    for (StreamNode node : header.getNodesList()) {
      nodeIndexes.put(node.getNode(), pools.size());
      pools.add(new RangeDeque());
    }
  }

  /** The stream's name. */
  public StreamId id() {
    return id;
  }

  /** The user who created it. */
  public String owner() {
    return owner;
  }

  /** The header that it was created with. */
  public StreamHeader header() {
    return header;
  }

  /** The input. */
  public FileTable files() {
    return files;
  }

  /** Sums of the chunks accepted so far, by chunk index. */
  public List<Long> chunkSums() {
    return Collections.unmodifiableList(chunkSums);
  }

  /** Everything to hand out, handed out already or not. */
  public Totals totals() {
    return totals;
  }

  /** Blocks that no task owns. */
  public long remaining() {
    return remaining;
  }

  /** Bytes of heap that the stream takes, as {@link StreamMemory} estimates them. */
  public long memory() {
    return memory;
  }

  /** Whether its input is complete. */
  public boolean sealed() {
    return sealed;
  }

  /** When it is dropped unless it is used. */
  public long expiresMillis() {
    return expiresMillis;
  }

  /** Number of nodes that hold blocks of it. */
  public int nodes() {
    return pools.size();
  }

  /** Id of a node by its index. */
  public ByteString nodeId(int node) {
    return header.getNodes(node).getNode();
  }

  /** Index of a node; -1 if it is not one of the stream's. */
  public int nodeIndex(ByteString nodeId) {
    return nodeIndexes.getOrDefault(nodeId, -1);
  }

  /** Nodes whose replicas node {@code node} holds; none for -1. */
  public int[] neighbours(int node) {
    if (node < 0) {
      return new int[0];
    }
    return header.getNodes(node).getNeighboursList().stream().mapToInt(Integer::intValue).toArray();
  }

  /** Blocks of a node that no task owns. */
  public RangeDeque pool(int node) {
    return pools.get(node);
  }

  /** Blocks that tasks on a node have taken so far, from any pool. */
  public long takenBy(int node) {
    return taken[node];
  }

  /** The part of {@link #takenBy} that came out of the pools of other nodes. */
  public long stolenBy(int node) {
    return stolen[node];
  }

  /** Blocks of a node's pool that tasks elsewhere have taken. */
  public long lostBy(int node) {
    return lost[node];
  }

  /** Number of tasks. */
  public int taskCount() {
    return header.getTasks();
  }

  /**
   * The list of a task, to be read only: those to which nothing has happened yet share an empty
   * one.
   */
  public TaskList task(int task) {
    return lists.getOrDefault(Objects.checkIndex(task, taskCount()), UNTOUCHED);
  }

  /** The lists of the tasks to which something has happened, by task. */
  public NavigableMap<Integer, TaskList> lists() {
    return Collections.unmodifiableNavigableMap(lists);
  }

  /** Tasks that get no more, whatever the reason. */
  public int closedTasks() {
    return closedTasks;
  }

  /** Tasks that get no more, or have said that they processed all they got. */
  public int endedTasks() {
    return endedTasks;
  }

  /** Open tasks that own something: they run, or another attempt of theirs will. */
  public int drawingTasks() {
    return lists.size() - closedTasks;
  }

  /** Tasks that run at the same time where there is room. */
  public int tasksAtOnce() {
    return taskCount() - header.getSurplusTasks();
  }

  /** Its place by arrival, known since the seal. */
  StreamArrival arrival() {
    return arrival;
  }

  /** Whether the job has been planned and none of its tasks has drawn anything yet. */
  public boolean waits() {
    return sealed && lists.isEmpty() && remaining > 0;
  }

  /**
   * Whether the job could use more than what others have yielded to it: a container for its master,
   * and one for each of its tasks as soon as the master runs. Masters of jobs without an audit do
   * not say that they run.
   */
  boolean needsRoom() {
    return yieldsReceived < (asksForTasks() ? tasksAtOnce() + 1 : 1);
  }

  /**
   * Whether a container that becomes free can go to a task of this job, and not only its master.
   */
  public boolean asksForTasks() {
    return begun || !header.getAudited();
  }

  /** Whether the job's master has said that it runs. */
  public boolean begun() {
    return begun;
  }

  /** How many tasks of others have yielded to this stream. */
  int yieldsReceived() {
    return yieldsReceived;
  }

  /** The stream to which tasks of this one yielded last; this one itself if none ever did. */
  public StreamArrival lastYieldedTo() {
    return lastYieldedTo;
  }

  /** How many more tasks may yield as long as {@link #lastYieldedTo} waits. */
  public int yieldsLeft() {
    return yieldsLeft;
  }

  /** Whether a task other than this one may get more. */
  public boolean hasOtherOpenTask(int task) {
    int open = taskCount() - closedTasks;
    return open > (task(task).closed() ? 0 : 1);
  }

  void addChunkSum(long sum) {
    chunkSums.add(sum);
    memory += StreamMemory.CHUNK;
  }

  /** Pins a file, or more ranges of the last one, without putting its blocks into a pool. */
  void pin(StreamFile file) {
    boolean isNew = file.getIndex() == files.size();
    memory += isNew ? StreamMemory.of(file) : 0;
    int after = isNew ? 0 : files.file(file.getIndex()).end();
    files.add(file);
    for (BlockRangeProto range : file.getRangesList()) {
      int first = (int) range.getFirst();
      int count = (int) range.getCount();
      memory += StreamMemory.ofRange(after, first, count, header.getGroupBlocks());
      after = first + count;
      totals = totals.plus(files.totals(new BlockRange(file.getIndex(), first, count)));
    }
  }

  void addToPool(int node, int file, int first, int count) {
    pools.get(node).append(file, first, count);
    remaining += count;
  }

  void take(int task, OwnedRun run) {
    pools.get(run.pool()).take(run.range());
    remaining -= run.range().count();
    own(task, run);
  }

  void own(int task, OwnedRun run) {
    list(task).append(run, files.totals(run.range()));
    count(run);
  }

  private void count(OwnedRun run) {
    int blocks = run.range().count();
    lost[run.pool()] += run.stolen() ? blocks : 0;
    if (run.taker() >= 0) {
      taken[run.taker()] += blocks;
      stolen[run.taker()] += run.stolen() ? blocks : 0;
    }
  }

  void close(int task) {
    countAsClosed(task);
    list(task).close();
  }

  void finish(int task) {
    countAsEnded(task);
    list(task).finish();
  }

  /** Closes the list of a task for the sake of another stream. */
  void yieldTo(int task, StreamArrival to, int left) {
    countAsClosed(task);
    list(task).closeYielded();
    lastYieldedTo = to;
    yieldsLeft = left;
  }

  void begin() {
    begun = true;
  }

  void receiveYield() {
    yieldsReceived++;
  }

  void restoreYielded(int task) {
    list(task).closeYielded();
  }

  void restoreYields(int received, StreamArrival last, int left) {
    yieldsReceived = received;
    lastYieldedTo = last;
    yieldsLeft = left;
  }

  void stop(int task) {
    countAsClosed(task);
    list(task).stop();
  }

  private void countAsClosed(int task) {
    countAsEnded(task);
    closedTasks += list(task).closed() ? 0 : 1;
  }

  private void countAsEnded(int task) {
    endedTasks += list(task).ended() ? 0 : 1;
  }

  /** A list to be changed. A stream may have many tasks that never draw: lists come with use. */
  private TaskList list(int task) {
    return lists.computeIfAbsent(Objects.checkIndex(task, taskCount()), unused -> new TaskList());
  }

  void seal(long millis) {
    sealed = true;
    arrival = new StreamArrival(millis, id);
    lastYieldedTo = arrival;
  }

  void keepUntil(long millis) {
    expiresMillis = millis;
  }

  @Override
  public String toString() {
    return "stream=" + id;
  }
}
