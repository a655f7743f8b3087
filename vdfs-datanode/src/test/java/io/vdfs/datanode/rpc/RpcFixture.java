package io.vdfs.datanode.rpc;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.WriteTickets;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.ring.RingPatience;
import io.vdfs.datanode.meta.service.DeafProbe;
import io.vdfs.datanode.meta.service.LeaderServices;
import io.vdfs.datanode.meta.service.LeaderSurroundings;
import io.vdfs.datanode.meta.service.LeaseSettings;
import io.vdfs.datanode.meta.service.ring.RingFigures;
import io.vdfs.datanode.meta.service.ring.RingKeeping;
import io.vdfs.datanode.meta.state.FlushedLengths;
import io.vdfs.datanode.rpc.request.CallIds;
import io.vdfs.datanode.rpc.request.Callers;
import io.vdfs.datanode.rpc.request.MetadataDispatcher;
import io.vdfs.datanode.rpc.request.RequestMeter;
import io.vdfs.datanode.rpc.request.RequestPreparer;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.security.UserGroupInformation;

/** The server side of one node around a fake member. */
public final class RpcFixture {
  static final long NOW = 1_700_000_000_000L;
  static final long STREAM_MEMORY = 512L << 20;

  final NodeId self = NodeId.random();
  final NodeId other = NodeId.random();
  public final FakeMember member = new FakeMember();
  final Callers callers =
      new Callers(
          "hdfs", "admins", user -> user.equals("root") ? List.of("admins") : List.of("staff"));
  final CallIds callIds = new CallIds(UUID.randomUUID());
  Optional<RingMap> ring = Optional.of(ring());
  volatile boolean founded = true;
  volatile int level = FeatureLevels.GROUP_CHECKSUMS;
  final WriteTickets tickets =
      new WriteTickets(ClusterKey.generate(new SecureRandom()), UUID.randomUUID());
  public final RequestMeter meter = new RequestMeter(System::nanoTime);
  final LeaderServices services = services();
  public final MetadataDispatcher dispatcher =
      new MetadataDispatcher(
          member,
          new RequestPreparer(
              Clock.fixed(Instant.ofEpochMilli(NOW), ZoneOffset.UTC),
              () -> ring,
              () -> level,
              STREAM_MEMORY),
          services,
          callers,
          callIds,
          meter,
          tickets,
          () -> founded);
  final MetaHandler handler = new MetaHandler(() -> Optional.of(dispatcher), self, callers);

  RingMap ring() {
    RingNode one = new RingNode(self, "host", 1, 2, 3, 0, "/rack", 1, 1.0);
    RingNode two = new RingNode(other, "host", 1, 2, 3, 0, "/rack", 1, 1.0);
    return new RingMap(
        1,
        2,
        Placement.TURN,
        List.of(new ArcReplicas(List.of(self, other), List.of())),
        Map.of(self, one, other, two));
  }

  /** Services that do not lead unless they are told to. */
  private static LeaderServices services() {
    ServiceLoop direct =
        new ServiceLoop() {
          @Override
          public void execute(Runnable task) {
            task.run();
          }

          @Override
          public void schedule(Duration delay, Runnable task) {}

          @Override
          public long nanoTime() {
            return 0;
          }
        };
    return new LeaderServices(
        new LeaderSurroundings(
            new DeafProbe(),
            Optional::empty,
            ClusterGeometry.DEFAULT,
            LeaseSettings.DEFAULT,
            new FlushedLengths(),
            new RingKeeping(Optional::empty, Set::of, 3, RingPatience.DEFAULT, new RingFigures())),
        direct);
  }

  static ControlCall call(String user, byte[] body) {
    return new ControlCall(UserGroupInformation.createRemoteUser(user), "test", body);
  }

  static ErrorCode code(MetaResponse response) {
    if (!response.hasError()) {
      throw new AssertionError("no error: " + response);
    }
    return WireIds.errorCode(response.getError());
  }
}
