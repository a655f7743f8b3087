package io.vdfs.mapreduce.commit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.hadoop.conf.Configuration;

/**
 * Stands for the ledger in a container that has {@link ShippedCommitters} only, as its node lacks
 * the jar of VDFS: refuses everything, and says what to do. Stateless.
 */
final class MissingJar implements JobStream {
  @Override
  public void requireJar() throws IOException {
    throw refusal();
  }

  @Override
  public void audit(Configuration job) throws IOException {
    throw refusal();
  }

  @Override
  public void stop(Configuration task) throws IOException {
    throw refusal();
  }

  @Override
  public void begin(Configuration job) throws IOException {
    throw refusal();
  }

  @Override
  public void renew(Configuration job) throws IOException {
    throw refusal();
  }

  @Override
  public void release(Configuration job) throws IOException {
    throw refusal();
  }

  private static IOException refusal() {
    IOException refusal =
        new IOException(
            ("the jar of VDFS is not on the class path of this container: host=%s; put"
                    + " vdfs-hadoop-*.jar into share/hadoop/common/lib of each NodeManager's Hadoop, or"
                    + " where yarn.application.classpath finds it")
                .formatted(host()));
    // MapReduce prints the exception as it is and shows that to the client
    refusal.setStackTrace(new StackTraceElement[0]);
    return refusal;
  }

  private static String host() {
    String nodeManager = System.getenv("NM_HOST");
    if (nodeManager != null) {
      return nodeManager;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
