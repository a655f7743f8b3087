package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A script whose writers do not give up: where a step fails, the writer of the next epoch goes on
 * in the same process from what is held, as a client does with a node that it cannot spare. Two
 * groups of one file take turns, so that their slots are neighbours. Keeps a model of what must be
 * there. Confined to a test.
 */
final class StubbornWorkload {
  private static final FileKey FILE = new FileKey(256 + 5, 1);
  private static final int TRIES = 4;
  private static final int CUT = BLOCK - 100;

  private enum Promise {
    NONE,
    SURVIVES_THE_PROCESS,
    SURVIVES_A_POWER_CUT
  }

  private final BlockStore store;
  private final Promise least;
  private final GroupScript head = new GroupScript(0);
  private final GroupScript tail = new GroupScript(1);

  /**
   * @param powerFails whether the machine is going to lose its power rather than its process
   */
  StubbornWorkload(BlockStore store, boolean powerFails) {
    this.store = store;
    this.least = powerFails ? Promise.SURVIVES_A_POWER_CUT : Promise.SURVIVES_THE_PROCESS;
  }

  List<ModelGroup> model() {
    return List.of(head.model, tail.model);
  }

  /** Groups that were given up since a step failed despite all tries. */
  int givenUp() {
    return (head.givenUp ? 1 : 0) + (tail.givenUp ? 1 : 0);
  }

  /** Writers that went on where an earlier one had failed. */
  int wentOn() {
    return head.wentOn + tail.wentOn;
  }

  void run() {
    head.write(700, Promise.SURVIVES_THE_PROCESS);
    head.write(BLOCK - CHUNK, Promise.NONE);
    tail.write(BLOCK, Promise.SURVIVES_A_POWER_CUT);
    head.write(BLOCK, Promise.NONE);
    tail.write(GROUP, Promise.SURVIVES_THE_PROCESS);
    tail.close();
    head.write(BLOCK + 300, Promise.SURVIVES_A_POWER_CUT);
    head.truncate();
    head.write(2 * BLOCK + 10, Promise.NONE);
    head.write(GROUP - 40, Promise.SURVIVES_THE_PROCESS);
    head.close();
    head.fence();
    tail.fence();
  }

  @FunctionalInterface
  private interface Step {
    void run() throws VdfsException;
  }

  /** The steps on one group. */
  private final class GroupScript {
    private final ModelGroup model;
    private final int start;
    private final byte[] file = StoreFixture.content(3, 2 * GROUP);
    private Optional<BlockWriter> open = Optional.empty();
    private long epoch;
    private int written;
    private int promised;
    private int wentOn;
    private boolean failed;
    private boolean givenUp;

    private GroupScript(int group) {
      this.model = new ModelGroup(FILE, group);
      this.start = group * GROUP;
    }

    private byte[] beginning(int length) {
      return Arrays.copyOfRange(file, start, start + length);
    }

    private void attempt(Step step) {
      for (int tries = 0; tries < TRIES && !givenUp; tries++) {
        try {
          step.run();
          wentOn += failed ? 1 : 0;
          failed = false;
          return;
        } catch (VdfsException | InternalError e) {
          failed = true;
          open.ifPresent(BlockWriter::abandon);
          open = Optional.empty();
        }
      }
      givenUp = true;
    }

    private BlockWriter writer() throws VdfsException {
      if (open.isEmpty()) {
        int held = (int) store.group(FILE, model.group()).length();
        assertTrue(held >= promised, () -> "held=" + held + ", promised=" + promised);
        written = Math.min(written, held);
        epoch++;
        int from = start + written / CHUNK * CHUNK;
        open = Optional.of(StoreFixture.writer(store, FILE, model.group(), epoch, from));
      }
      return open.get();
    }

    private void write(int to, Promise promise) {
      if (!givenUp) {
        model.mayHold(beginning(to), promised);
      }
      attempt(
          () -> {
            BlockWriter writer = writer();
            if (written < to) {
              StoreFixture.append(writer, file, start + written / CHUNK * CHUNK, start + to);
              written = to;
            }
            if (promise == Promise.SURVIVES_THE_PROCESS) {
              writer.checkpoint();
            } else if (promise == Promise.SURVIVES_A_POWER_CUT) {
              writer.sync();
            }
            if (promise.compareTo(least) >= 0) {
              promise(to);
            }
          });
    }

    private void promise(int length) {
      promised = length;
      model.holds(beginning(length), length);
    }

    private void close() {
      attempt(
          () -> {
            int length = written;
            BlockWriter writer = writer();
            if (written < length) {
              StoreFixture.append(writer, file, start + written / CHUNK * CHUNK, start + length);
              written = length;
            }
            writer.close(true);
            open = Optional.empty();
            promise(length);
          });
    }

    /** Cuts the group, and has other bytes written behind the cut from now on. */
    private void truncate() {
      open.ifPresent(BlockWriter::abandon);
      open = Optional.empty();
      if (givenUp) {
        return;
      }
      model.mayHold(beginning(BLOCK + 300), CUT);
      promised = CUT;
      attempt(
          () -> {
            epoch++;
            store.truncateGroup(FILE, model.group(), CUT, epoch);
            written = CUT;
            model.holds(beginning(CUT), CUT);
            Arrays.fill(file, start + CUT, start + GROUP, (byte) 7);
          });
    }

    private void fence() {
      attempt(
          () -> {
            epoch++;
            int answered = (int) store.fence(FILE, model.group(), epoch).length();
            assertTrue(answered >= promised, () -> "answered=" + answered + " of " + promised);
            model.fenced(epoch);
            promise(answered);
          });
    }
  }
}
