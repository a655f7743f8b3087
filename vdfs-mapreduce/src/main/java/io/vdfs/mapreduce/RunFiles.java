package io.vdfs.mapreduce;

import io.vdfs.client.ledger.DrawnRun;
import java.io.IOException;
import org.apache.hadoop.fs.Path;

/** The filesystem that the runs of a task are read from. Confined to the task's thread. */
interface RunFiles {
  /** The run's file, by a path that any code may open. */
  Path path(DrawnRun run);

  /**
   * Has the run's file stand for the content that the job was planned on, until the returned pin is
   * closed.
   *
   * @throws IOException if that content is gone
   */
  AutoCloseable pin(DrawnRun run) throws IOException;
}
