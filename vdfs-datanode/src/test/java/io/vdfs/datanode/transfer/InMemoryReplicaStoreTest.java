package io.vdfs.datanode.transfer;

/** The fake keeps the contract that the tests of the data plane rely on. */
class InMemoryReplicaStoreTest extends AbstractReplicaStoreTest {
  private final InMemoryReplicaStore store = new InMemoryReplicaStore(GEOMETRY);

  @Override
  ReplicaStore store() {
    return store;
  }
}
