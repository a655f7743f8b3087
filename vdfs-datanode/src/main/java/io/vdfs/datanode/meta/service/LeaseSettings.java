package io.vdfs.datanode.meta.service;

import java.time.Duration;

/**
 * How long a writer may be silent.
 *
 * @param soft after which another client may take the file over
 * @param hard after which the leader closes the file
 * @param scan between looks at all leases
 * @param probe longest wait for one replica that is asked a quick question
 * @param answer longest time that RecoverLease waits for the outcome
 * @param patience how long a file that cannot be closed is tried again at each scan
 * @param slowRetry between attempts after that
 */
public record LeaseSettings(
    Duration soft,
    Duration hard,
    Duration scan,
    Duration probe,
    Duration answer,
    Duration patience,
    Duration slowRetry) {
  public static final LeaseSettings DEFAULT =
      new LeaseSettings(
          Duration.ofSeconds(60),
          Duration.ofMinutes(5),
          Duration.ofSeconds(5),
          Duration.ofSeconds(8),
          Duration.ofSeconds(3),
          Duration.ofMinutes(10),
          Duration.ofMinutes(1));

  public LeaseSettings {
    if (soft.compareTo(hard) > 0) {
      throw new IllegalArgumentException(
          "the soft limit can't exceed the hard one: soft=" + soft + ", hard=" + hard);
    }
  }
}
