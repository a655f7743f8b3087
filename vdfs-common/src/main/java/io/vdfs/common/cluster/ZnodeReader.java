package io.vdfs.common.cluster;

import io.vdfs.common.error.VdfsException;
import java.util.List;
import java.util.Optional;

/** Reads znodes. Methods throw UNAVAILABLE, naming the path, where ZooKeeper does not answer. */
interface ZnodeReader {
  /**
   * @return empty if there is no such znode
   */
  Optional<byte[]> data(String path) throws VdfsException;

  /**
   * Names below a path, in no order.
   *
   * @return empty if there is no such znode
   */
  Optional<List<String>> children(String path) throws VdfsException;

  boolean exists(String path) throws VdfsException;

  ZooKeeperSettings settings();
}
