package io.vdfs.client.meta.finder;

import io.vdfs.client.meta.control.ControlAddress;
import java.io.IOException;
import java.util.List;

/** Finds nodes of a cluster nothing is known of yet. Implementations are thread-safe. */
public interface NodeFinder {
  /**
   * Control addresses worth asking, in no order.
   *
   * @throws io.vdfs.common.error.VdfsException MISCONFIGURED if trying again can't help: the
   *     message names the setting and the cure
   * @throws IOException if it can't be told now
   */
  List<ControlAddress> find() throws IOException;

  /** Where it looks, for error messages. */
  String describe();
}
