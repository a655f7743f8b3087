package io.vdfs.datanode.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.CloseTaskResult;
import io.vdfs.common.wire.proto.EndOfTask;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamStatusResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.function.Executable;

/** Shorthands for calls to a hosted ledger about one stream. */
final class StreamDriver {
  final LedgerHost host = new LedgerHost();
  final TestStream stream;
  long time = 1_000_000;

  StreamDriver(TestStream stream) {
    this.stream = stream;
  }

  /** Creates and seals the stream. */
  static StreamDriver created(TestStream stream) throws VdfsException {
    StreamDriver driver = new StreamDriver(stream);
    for (LedgerRequest chunk : stream.chunks(1)) {
      driver.host.call(chunk, LedgerHost.USER, driver.time);
    }
    driver.host.call(stream.seal(), LedgerHost.USER, driver.time);
    return driver;
  }

  NextRunResult next(NextRunOp.Builder op) throws VdfsException {
    return host.call(Requests.of(op), LedgerHost.USER, time).getNext();
  }

  NextRunResult next(int task, int position, int node, int wanted) throws VdfsException {
    return next(Requests.next(stream.id(), task, position, node, wanted));
  }

  StreamRun run(int task, int position, int node, int wanted) throws VdfsException {
    NextRunResult result = next(task, position, node, wanted);
    assertTrue(result.hasRun(), () -> "a run was expected: " + result);
    assertEquals(position, result.getPosition());
    return result.getRun();
  }

  EndOfTask end(int task, int position, int node) throws VdfsException {
    NextRunResult result = next(task, position, node, 1);
    assertTrue(result.hasEnd(), () -> "END was expected: " + result);
    return result.getEnd();
  }

  /** Draws with one attempt until END. */
  SimulatedAttempt drain(int task, int node, int wanted) throws VdfsException {
    SimulatedAttempt attempt = new SimulatedAttempt(task, 0, node, wanted);
    NextRunResult result = next(task, 0, node, wanted);
    while (result.hasRun()) {
      attempt.got.add(result.getRun());
      result = next(task, attempt.got.size(), node, wanted);
    }
    return attempt;
  }

  CloseTaskResult close(int task) throws VdfsException {
    return host.call(Requests.close(stream.id(), task), LedgerHost.USER, time).getCloseTask();
  }

  /** The mapper of an attempt stops after the runs it has got. */
  CloseTaskResult stop(SimulatedAttempt attempt) throws VdfsException {
    return host.call(
            Requests.stop(stream.id(), attempt.task, attempt.got.size(), attempt.processed()),
            LedgerHost.USER,
            time)
        .getCloseTask();
  }

  StreamStatusResult status() throws VdfsException {
    return host.query(Requests.status(stream.id()), LedgerHost.USER).getStatus();
  }

  /** Runs as text: path's number, first block and count, a star where stolen. */
  static List<String> texts(List<StreamRun> runs) {
    List<String> texts = new ArrayList<>();
    runs.forEach(run -> texts.add(text(run)));
    return texts;
  }

  static String text(StreamRun run) {
    return run.getFileIndex()
        + ":"
        + run.getFirstBlock()
        + "+"
        + run.getBlockCount()
        + (run.getStolen() ? "*" : "");
  }

  static VdfsException assertFails(ErrorCode code, String part, Executable call) {
    VdfsException e = assertThrows(VdfsException.class, call);
    assertEquals(code, e.code(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
    return e;
  }
}
