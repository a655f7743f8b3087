package io.vdfs.datanode.transfer;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.stream.StoreReads;

/** The store of a node in a test, with faults to order and access to its state. Thread-safe. */
public interface StoreFaults extends AutoCloseable {
  /** The store as its node uses it. */
  BlockStore store();

  /** The reads of that store. */
  StoreReads reads();

  /** From now on there is no room for another byte. */
  void fillUp();

  /** From now on writers wait until {@link #goOn}. */
  void stall();

  void goOn();

  /** Flips a bit of a byte that is held; false if there is none. */
  boolean damage(FileKey file, long offset) throws VdfsException;

  /** Forgets the end of a group, as a faulty disk might. */
  void lose(FileKey file, int group, int length) throws VdfsException;

  /** What is held of a group. */
  byte[] bytes(FileKey file, int group) throws VdfsException;

  /** Whether a writer of a group of a file is open. */
  boolean hasWriter(FileKey file, int groups);

  @Override
  void close() throws VdfsException;
}
