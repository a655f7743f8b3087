package io.vdfs.client.fake;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.files.ContentAccess;
import io.vdfs.client.ledger.LedgerClient;
import io.vdfs.client.meta.LeaseRenewer;
import io.vdfs.client.meta.MetadataClient;
import io.vdfs.client.meta.cluster.ClusterView;
import io.vdfs.client.meta.control.NodeCalls;
import io.vdfs.client.meta.finder.ClusterSources;
import io.vdfs.client.meta.finder.SeedNode;
import io.vdfs.client.meta.retry.RetryPolicy;
import io.vdfs.client.place.LocalNode;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** A whole client over a {@link FakeCluster}. */
public final class FakeClient {
  private final FakeCluster cluster;
  private final FakeClock clock = new FakeClock();
  private final ClusterView view;
  private final MetadataClient metadata;
  private final FakeContent content;
  private final VdfsClient client;
  private boolean closed;

  /**
   * @param localHost name of the machine the client runs on
   */
  public FakeClient(FakeCluster cluster, String localHost) {
    this(cluster, localHost, content -> content);
  }

  /**
   * @param wrapper wraps the content in memory, for tests of other writers
   */
  public FakeClient(FakeCluster cluster, String localHost, UnaryOperator<ContentAccess> wrapper) {
    this.cluster = cluster;
    view =
        new ClusterView(
            ClusterSources.of(new SeedNode(FakeCluster.address(0))),
            cluster,
            Duration.ofMinutes(1),
            RetryPolicy.DEFAULT.total(),
            clock);
    metadata =
        new MetadataClient(
            view, cluster, RetryPolicy.DEFAULT, clock, new Random(42), UUID.randomUUID());
    content = new FakeContent(metadata, cluster);
    client =
        new VdfsClient(
            metadata,
            view,
            wrapper.apply(content),
            new LeaseRenewer(metadata, view, UUID.randomUUID(), Duration.ofMinutes(10)),
            new LedgerClient(
                metadata,
                view,
                cluster,
                new LocalNode(Optional.empty(), () -> Set.of(localHost)),
                clock),
            new NodeCalls(cluster),
            () -> closed = true);
  }

  public FakeCluster cluster() {
    return cluster;
  }

  public FakeClock clock() {
    return clock;
  }

  public ClusterView view() {
    return view;
  }

  public MetadataClient metadata() {
    return metadata;
  }

  public FakeContent content() {
    return content;
  }

  public VdfsClient client() {
    return client;
  }

  public boolean isClosed() {
    return closed;
  }
}
