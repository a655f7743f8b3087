package io.vdfs.datanode.store.group;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.file.CombinedFile;
import io.vdfs.datanode.store.file.OpenSlot;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.turns.TurnGate;
import io.vdfs.datanode.store.volume.Settling;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Makes durable what is written to a file: at once where a caller waits for it, ahead of that by
 * the write-back of its volumes. Thread-safe: what it changes, it changes under the guard of the
 * file, which it leaves while it waits for a force. Those of one file are equal, so that the
 * write-back knows a request that waits there already.
 */
record FileSettling(StoredFile file) {
  /** Factor by which bytes are written back sooner beside a reader. */
  private static final int EARLIER = 4;

  /** The work in the background for a combined file. */
  private record InBackground(FileSettling owner, CombinedFile combined) implements Settling {
    @Override
    public long dirtyBytes() {
      return combined.files().bytesSinceForce();
    }

    @Override
    public void settle(TurnGate.Pass pass) throws VdfsException {
      if (!combined.files().isDeleted()) {
        owner.file.counters().increment(StoreCounter.BACKGROUND_FORCES);
        if (owner.file.guard().get(() -> owner.needsForce(combined))) {
          owner.settleNow(combined, pass);
        }
      }
    }

    @Override
    public String toString() {
      return combined.files().path().toString();
    }
  }

  /**
   * Makes durable what was written to a combined file, when its turn comes, without keeping others
   * from it meanwhile.
   */
  void settle(CombinedFile combined) throws VdfsException {
    settle(combined, TurnGate::enter);
  }

  /** As {@link #settle(CombinedFile)}, where a writer closes the file: a small one may wait. */
  void settleClosed(CombinedFile combined) throws VdfsException {
    boolean small = !combined.files().hasOwnNames();
    settle(combined, small ? TurnGate::enterSmallFile : TurnGate::enter);
  }

  private void settle(CombinedFile combined, Function<TurnGate, TurnGate.Pass> entry)
      throws VdfsException {
    if (!file.guard().get(() -> needsForce(combined))) {
      return;
    }
    TurnGate.Pass pass = entry.apply(combined.volume().gate());
    try {
      settleNow(combined, pass);
    } finally {
      pass.leave();
    }
  }

  private boolean needsForce(CombinedFile combined) throws VdfsException {
    combined.files().checkHealthy();
    tryLackingFooters(combined);
    return combined.needsForce();
  }

  private void settleNow(CombinedFile combined, TurnGate.Pass pass) throws VdfsException {
    Optional<CombinedFile.Force> begun = file.guard().get(() -> beginForce(combined));
    if (begun.isEmpty()) {
      return;
    }
    boolean forced = false;
    try {
      pass.onForce(combined.files().path(), begun.get().files().bytes());
      combined.files().force(begun.get().files());
      forced = true;
    } finally {
      begun.get().files().open().close();
      boolean done = forced;
      file.guard().run(() -> onForceEnded(combined, begun.get(), done));
    }
  }

  private static Optional<CombinedFile.Force> beginForce(CombinedFile combined)
      throws VdfsException {
    combined.files().checkHealthy();
    return combined.needsForce() ? Optional.of(combined.beginForce()) : Optional.empty();
  }

  private static void onForceEnded(CombinedFile combined, CombinedFile.Force begun, boolean forced)
      throws VdfsException {
    if (forced) {
      combined.onForced(begun);
    } else {
      combined.files().onForceFailed(begun.files());
    }
  }

  /** Footers that a full disk refused may have room by now. */
  private void tryLackingFooters(CombinedFile combined) throws VdfsException {
    for (OpenSlot slot : combined.lackingFooters()) {
      if (file.visible(slot).isPresent()) {
        try {
          file.finish(slot);
        } catch (VdfsException e) {
          if (e.code() != ErrorCode.NO_SPACE) {
            throw e;
          }
        }
      }
    }
  }

  /**
   * Makes all durable that was written to the file, except in combined files that can't be forced
   * and hold nothing of this group; of those that can't be opened only the names were unforced.
   */
  void settleFor(int group) throws VdfsException {
    Set<CombinedFile> holding = file.holding(group);
    for (CombinedFile combined : file.combinedFiles()) {
      boolean asked = !combined.files().isSuspect() || holding.contains(combined);
      if (asked && file.guard().get(() -> needsForce(combined))) {
        if (combined.opens()) {
          settle(combined);
        } else {
          file.guard().run(() -> combined.files().forceNames());
        }
      }
    }
  }

  /**
   * Asks for a background force once enough was written; sooner where the volume is read, so that
   * nearly all that is dirty there is known to the write-back.
   */
  void writeBackIfDue(CombinedFile combined) {
    long dirty = combined.files().bytesSinceForce();
    long much = file.writeBackBytes();
    if (dirty >= much || (dirty >= much / EARLIER && combined.volume().gate().takesTurns())) {
      writeBack(combined);
    }
  }

  /**
   * Asks for a force ahead of a writer; bytes that have no footer yet are forced all the same.
   * Never blocks.
   */
  void writeBack(CombinedFile combined) {
    combined.volume().writeBack().request(new InBackground(this, combined));
  }

  /** As {@link #writeBack}, where no caller waits for the force. */
  void writeBackLater(CombinedFile combined) {
    combined.volume().writeBack().requestLater(new InBackground(this, combined));
  }
}
