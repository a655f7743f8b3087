package io.vdfs.mapreduce;

import io.vdfs.client.ledger.RunAnswer;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.model.StreamId;
import java.io.IOException;

/** The ledger as a task uses it. All calls may be repeated. Implementations are thread-safe. */
interface RunSource {
  RunAnswer next(RunQuestion question) throws IOException;

  /**
   * Ends the task's list.
   *
   * @return false if the task must go on, as it is the last one that may draw
   */
  boolean closeTask(StreamTask task) throws IOException;

  /** How many blocks of a stream no task owns. */
  long remainingBlocks(StreamId stream) throws IOException;
}
