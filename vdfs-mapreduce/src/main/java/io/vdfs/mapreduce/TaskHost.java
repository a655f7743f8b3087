package io.vdfs.mapreduce;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which host a task runs on, in the words of its NodeManager. Stateless. */
final class TaskHost {
  private static final Logger LOG = LoggerFactory.getLogger(TaskHost.class);

  private TaskHost() {}

  /** Host of the NodeManager that runs this container, else this machine's name, else empty. */
  static String current() {
    String nodeManager = System.getenv("NM_HOST");
    if (nodeManager != null && !nodeManager.isEmpty()) {
      return nodeManager;
    }
    try {
      return InetAddress.getLocalHost().getCanonicalHostName();
    } catch (UnknownHostException e) {
      LOG.info("this machine's name cannot be resolved; blocks are drawn through any node", e);
      return "";
    }
  }
}
