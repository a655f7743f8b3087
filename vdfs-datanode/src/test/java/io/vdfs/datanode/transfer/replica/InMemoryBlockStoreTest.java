package io.vdfs.datanode.transfer.replica;

import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.stream.StoreReads;
import io.vdfs.datanode.transfer.InMemoryBlockStore;

/** The fake keeps the contract that the tests of the data plane rely on. */
class InMemoryBlockStoreTest extends AbstractTransferStoreTest {
  private final InMemoryBlockStore store = new InMemoryBlockStore(GEOMETRY);

  @Override
  BlockStore store() {
    return store;
  }

  @Override
  StoreReads reads() {
    return store;
  }
}
