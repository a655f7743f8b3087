package io.vdfs.client.meta.finder;

import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.common.cluster.LiveNodeSample;
import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Finds some live nodes of a named cluster in ZooKeeper, others at each look. Connects for each
 * look and no longer, so that thousands of tasks don't each keep a session. Thread-safe.
 */
public final class ZooKeeperFinder implements NodeFinder {
  /** With so many, it is next to impossible that none answers while others would. */
  private static final int MOST_NODES = 16;

  private final ZooKeeperSettings settings;
  private final String cluster;
  private final RandomGenerator random;

  /**
   * @param random thread-safe
   */
  public ZooKeeperFinder(ZooKeeperSettings settings, String cluster, RandomGenerator random) {
    this.settings = settings;
    this.cluster = cluster;
    this.random = random;
  }

  @Override
  public List<ControlAddress> find() throws VdfsException {
    try {
      return LiveNodeSample.take(settings, cluster, MOST_NODES, random).stream()
          .map(LiveNode::node)
          .map(ControlAddress::of)
          .toList();
    } catch (VdfsException e) {
      throw e.code() == ErrorCode.NOT_FOUND ? unknown(e) : e;
    }
  }

  /** A cluster that is not there is a wrong setting; callers would take it for a missing file. */
  private VdfsException unknown(VdfsException notFound) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "%s, or correct the name that is asked for, or %s"
            .formatted(notFound.getMessage(), settings.connectKey()),
        notFound);
  }

  @Override
  public String describe() {
    return "ZooKeeper %s (cluster=%s, key=%s)"
        .formatted(settings.connect(), cluster, settings.connectKey());
  }
}
