package io.vdfs.datanode.store.group;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.turns.TurnGate;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadBackTurnsTest {
  private static final int BLOCK = 8 << 20;

  private final StoreCounters counters = new StoreCounters();
  private final TurnGate gate = new TurnGate(TurnGate.Limits.of(Duration.ofMinutes(1)), counters);

  private Thread read(ReadPace pace, int blocks) {
    Thread thread =
        new Thread(
            () -> {
              try (ReadBackTurns turns = new ReadBackTurns(pace)) {
                for (int block = 0; block < blocks; block++) {
                  turns.awaitTurn(gate, BLOCK);
                }
              }
            });
    thread.start();
    return thread;
  }

  @Test
  void shouldTakeATurnForFourBlocks() throws Exception {
    gate.onReading();
    Thread reading = read(ReadPace.IN_TURNS, 9);
    awaitThat(
        () -> {
          try {
            gate.giveTurn(150e6);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          return !reading.isAlive();
        });
    assertEquals(3, counters.get(StoreCounter.READ_BACK_TURNS));
    assertEquals(0, counters.get(StoreCounter.WRITE_TURNS_CUT), "a turn was not given back");
  }

  @Test
  void shouldTakeNoneWhereACallerWaits() throws Exception {
    gate.onReading();
    read(ReadPace.AT_ONCE, 9).join();
    assertEquals(0, counters.get(StoreCounter.READ_BACK_TURNS));
  }
}
