package io.vdfs.cli.progress;

import io.vdfs.common.concurrent.Interrupts;
import java.io.InterruptedIOException;
import java.time.Duration;

/** Waits between two looks at something. Stateless. */
public final class Pauses {
  private Pauses() {}

  /**
   * @param doing for the message if the thread is interrupted
   */
  public static void pause(Duration pause, String doing) throws InterruptedIOException {
    try {
      Thread.sleep(pause.toMillis());
    } catch (InterruptedException e) {
      throw Interrupts.during(doing, e);
    }
  }
}
