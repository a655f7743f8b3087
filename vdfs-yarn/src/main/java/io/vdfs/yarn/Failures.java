package io.vdfs.yarn;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the first failure of a series, and when the series is over. Confined to one thread. */
final class Failures {
  private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

  private final String subject;
  private boolean told;

  /**
   * @param subject of the sentences in the log
   */
  Failures(String subject) {
    this.subject = subject;
  }

  void tell(String what, Exception cause) {
    if (!told) {
      LOG.warn("{} {}: {}", subject, what, cause.toString());
    }
    told = true;
  }

  void over() {
    if (told) {
      LOG.info("{} is well again", subject);
    }
    told = false;
  }
}
