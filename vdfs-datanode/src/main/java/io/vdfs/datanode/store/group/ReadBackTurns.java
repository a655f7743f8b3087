package io.vdfs.datanode.store.group;

import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.turns.TurnGate;
import java.util.Optional;

/** The turns that one read-back takes, on one volume after the other. Confined to its thread. */
final class ReadBackTurns implements AutoCloseable {
  private final ReadPace pace;
  private Optional<Turn> turn = Optional.empty();

  private record Turn(TurnGate gate, TurnGate.Pass pass, long bytesLeft) {}

  ReadBackTurns(ReadPace pace) {
    this.pace = pace;
  }

  /**
   * Waits until it may read.
   *
   * @param gate of the volume
   */
  void awaitTurn(TurnGate gate, int bytes) {
    if (pace == ReadPace.AT_ONCE) {
      return;
    }
    boolean lasts =
        turn.filter(mine -> mine.gate() == gate && mine.bytesLeft() >= bytes).isPresent();
    if (!lasts) {
      close();
      turn = Optional.of(new Turn(gate, gate.enterReadBack(), TurnGate.READ_BACK_BYTES));
    }
    turn = turn.map(mine -> new Turn(gate, mine.pass(), mine.bytesLeft() - bytes));
  }

  /** Gives the turn back. Idempotent. */
  @Override
  public void close() {
    turn.ifPresent(mine -> mine.pass().leave());
    turn = Optional.empty();
  }
}
