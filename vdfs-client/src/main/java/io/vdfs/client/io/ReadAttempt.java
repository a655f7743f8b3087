package io.vdfs.client.io;

import io.vdfs.common.error.VdfsException;
import java.util.Optional;

/** One try to get a range of a block from one node in one way. */
public interface ReadAttempt {
  /**
   * Waits until there is nothing more to wait for.
   *
   * @return why there is no more than what {@link #take} gives; empty if all is there
   */
  Optional<VdfsException> await() throws InterruptedException;

  /** Hands over the result, which the caller closes; ends the attempt. */
  BlockPart take();
}
