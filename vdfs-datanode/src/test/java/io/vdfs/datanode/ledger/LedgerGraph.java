package io.vdfs.datanode.ledger;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.BlockDigest;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamTotals;
import io.vdfs.common.wire.proto.TaskSlice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The states a ledger of one small stream can reach, numbered, with the transitions between them.
 * Each transition starts from a ledger restored from the snapshot of its state, so that every step
 * is also a change of leader.
 */
final class LedgerGraph {
  /** A state: the blocks no task owns, and for each task its runs, one character each. */
  record Node(List<LedgerRecord> records, long unowned, List<String> lists) {}

  /**
   * A step.
   *
   * @param runs what the asker got, one character each; empty for END
   */
  record Step(int target, String runs) {}

  private record Question(int state, LedgerRequest request) {}

  private static final long TIME = 1000;

  private final Supplier<LedgerHost> hosts;
  private final TestStream stream;
  private final int mostRuns;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<ByteBuffer, Integer> numbers = new HashMap<>();
  private final Map<Question, Step> steps = new HashMap<>();

  /**
   * @param mostRuns that an attempt takes in one answer
   */
  LedgerGraph(Supplier<LedgerHost> hosts, TestStream stream, int mostRuns) throws VdfsException {
    this.hosts = hosts;
    this.stream = stream;
    this.mostRuns = mostRuns;
    LedgerHost host = hosts.get();
    host.call(stream.chunks(1).get(0), LedgerHost.USER, TIME);
    host.call(stream.seal(), LedgerHost.USER, TIME);
    number(host.ledger());
  }

  Node node(int number) {
    return nodes.get(number);
  }

  int size() {
    return nodes.size();
  }

  /** Steps in which a list grew by several runs. */
  long takenTogether() {
    return steps.entrySet().stream()
        .filter(step -> runs(step.getValue().target()) - runs(step.getKey().state()) > 1)
        .count();
  }

  private int runs(int state) {
    return nodes.get(state).lists().stream().mapToInt(String::length).sum();
  }

  Step draw(int state, int task, int position, int node) {
    return step(
        state,
        Requests.of(Requests.next(stream.id(), task, position, node, 2).setMostRuns(mostRuns)));
  }

  Step close(int state, int task) {
    return step(state, Requests.close(stream.id(), task));
  }

  /** As {@link #draw}, with what the attempt says it processed: all {@code runs} it got. */
  Step drawAndReport(int state, int task, String runs, int node) {
    return step(
        state,
        Requests.of(
            Requests.next(stream.id(), task, runs.length(), node, 2)
                .setMostRuns(mostRuns)
                .setProcessed(totals(runs))));
  }

  /** The mapper stops after {@code runs}. */
  Step stop(int state, int task, String runs) {
    return step(state, Requests.stop(stream.id(), task, runs.length(), totals(runs)));
  }

  /** Whether the audit at job commit accepts the state. */
  boolean isAuditPassed(int state) {
    LedgerHost host = hosts.get();
    host.become(nodes.get(state).records());
    try {
      host.query(Requests.auditByMarks(stream.id()), LedgerHost.USER);
      return true;
    } catch (VdfsException e) {
      return false;
    }
  }

  private StreamTotals totals(String runs) {
    StreamTotals.Builder totals = StreamTotals.newBuilder();
    for (int at = 0; at < runs.length(); at++) {
      StreamFile file = stream.files().get(runs.charAt(at) >> 8);
      long first = runs.charAt(at) >> 4 & 15;
      long end = first + (runs.charAt(at) & 15);
      long bytes =
          Math.min(end * TestStream.BLOCK_SIZE, file.getLength()) - first * TestStream.BLOCK_SIZE;
      FileKey key = new FileKey(file.getFile().getFileId(), file.getFile().getGeneration());
      totals
          .setBlocks(totals.getBlocks() + end - first)
          .setBytes(totals.getBytes() + bytes)
          .setDigest(totals.getDigest() + BlockDigest.of(key, first, end - first));
    }
    return totals.build();
  }

  private Step step(int state, LedgerRequest request) {
    return steps.computeIfAbsent(new Question(state, request), this::execute);
  }

  private Step execute(Question question) {
    LedgerHost host = hosts.get();
    host.become(nodes.get(question.state()).records());
    LedgerResponse response;
    try {
      response = host.call(question.request(), LedgerHost.USER, TIME);
    } catch (VdfsException e) {
      throw new Violation("an error in a faultless call: " + e.getMessage(), e);
    }
    NextRunResult next = response.getNext();
    StringBuilder runs = new StringBuilder();
    if (next.hasRun()) {
      runs.append(run(next.getRun()));
      next.getFollowingList().forEach(following -> runs.append(run(following)));
    }
    return new Step(number(host.ledger()), runs.toString());
  }

  private static char run(StreamRun run) {
    return run(run.getFileIndex(), (int) run.getFirstBlock(), run.getBlockCount());
  }

  private int number(Ledger ledger) {
    ByteBuffer key = ByteBuffer.wrap(LedgerHost.canonical(ledger));
    Integer known = numbers.get(key);
    if (known != null) {
      return known;
    }
    numbers.put(key, nodes.size());
    nodes.add(describe(LedgerHost.records(ledger)));
    return nodes.size() - 1;
  }

  private Node describe(List<LedgerRecord> records) {
    long unowned = 0;
    StringBuilder[] lists = new StringBuilder[stream.header().getTasks()];
    for (int task = 0; task < lists.length; task++) {
      lists[task] = new StringBuilder();
    }
    for (LedgerRecord record : records) {
      List<Integer> pool = record.getPoolSlice().getCellsList();
      for (int at = 0; at < pool.size(); at += 3) {
        unowned += pool.get(at + 2);
      }
      TaskSlice slice = record.getTaskSlice();
      List<Integer> list = slice.getCellsList();
      for (int at = 0; at < list.size(); at += 5) {
        lists[slice.getTask()].append(run(list.get(at), list.get(at + 1), list.get(at + 2)));
      }
    }
    List<String> texts = new ArrayList<>();
    for (StringBuilder list : lists) {
      texts.add(list.toString());
    }
    return new Node(records, unowned, texts);
  }

  /** File, first block and count of a run, each below 16 and the count positive. */
  private static char run(int file, int first, int count) {
    return (char) (file << 8 | first << 4 | count);
  }

  static List<String> blocks(String list) {
    List<String> blocks = new ArrayList<>();
    for (int at = 0; at < list.length(); at++) {
      char run = list.charAt(at);
      for (int i = 0; i < (run & 15); i++) {
        blocks.add((run >> 8) + "#" + ((run >> 4 & 15) + i));
      }
    }
    return blocks;
  }
}
