package io.vdfs.client.io;

import io.vdfs.client.ContentWriter;
import java.io.IOException;

/** One file on real servers, written by real writers, for tests of other packages. */
public final class ClusterFile implements AutoCloseable {
  private final TestCluster cluster = new TestCluster(3, 3, TestCluster.UNHURRIED);

  public ClusterFile() throws IOException {}

  /** A writer of the file, which has no bytes yet. */
  public ContentWriter create() {
    return new Writer(cluster.create());
  }

  public boolean isOpenForWriting() {
    return cluster.metadata.view().open();
  }

  /** What readers see of it. */
  public byte[] content() throws IOException {
    return TestCluster.readAll(cluster.freshReader());
  }

  /** No node can be reached, or all again. */
  public void setReachable(boolean reachable) {
    for (TestNode node : cluster.nodes) {
      if (reachable) {
        node.proxy.accept(true);
      } else {
        node.proxy.refuse();
      }
    }
  }

  /** Nodes take nothing in and do not say so. */
  public void stall() {
    cluster.nodes.forEach(node -> node.store.stall());
  }

  public void goOn() {
    cluster.nodes.forEach(node -> node.store.goOn());
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }

  private record Writer(FileWriter writer) implements ContentWriter {
    @Override
    public long position() {
      return writer.position();
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      writer.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
      writer.flush();
    }

    @Override
    public void sync() throws IOException {
      writer.sync();
    }

    @Override
    public void close() throws IOException {
      writer.close();
    }

    @Override
    public void abort() {
      writer.abort();
    }
  }
}
