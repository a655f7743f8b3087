package io.vdfs.datanode.host;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlClient;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetadataStatusRequest;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.meta.group.LevelRaiser;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.rpc.MetadataAddresses;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the feature level raised while this node leads the metadata group; on others it only waits.
 * Has a thread of its own.
 */
public final class LevelKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LevelKeeper.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** While there is something to raise, and members are asked each time. */
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final MetadataHost host;
  private final LevelRaiser raiser;
  private final ThreadServiceLoop loop = new ThreadServiceLoop("vdfs-level-keeper");

  private LevelKeeper(MetadataHost host, LevelRaiser raiser) {
    this.host = host;
    this.raiser = raiser;
  }

  public static LevelKeeper start(MetadataHost host, LevelRaiser raiser) {
    LevelKeeper keeper = new LevelKeeper(host, raiser);
    keeper.loop.schedule(PERIOD, keeper::look);
    return keeper;
  }

  /** Asks members at their control ports. */
  public static LevelRaiser.Question by(
      NodeId self, MetadataAddresses addresses, ControlClient client) {
    return member ->
        member.equals(self)
            ? OptionalInt.of(FeatureLevels.ofThisRelease().newest())
            : ask(member, addresses.controlAddress(member), client);
  }

  private static OptionalInt ask(
      NodeId member, Optional<InetSocketAddress> address, ControlClient client) {
    if (address.isEmpty()) {
      return OptionalInt.empty();
    }
    try {
      MetadataStatusResponse status =
          client.call(
              address.get(),
              ControlMethods.METADATA_STATUS,
              MetadataStatusRequest.getDefaultInstance(),
              MetadataStatusResponse.parser());
      return status.getMember() && status.getNode().equals(WireIds.encode(member))
          ? OptionalInt.of(status.getNewestLevel())
          : OptionalInt.empty();
    } catch (VdfsException e) {
      LOG.debug("Feature level of a metadata member not known: node={}", member, e);
      return OptionalInt.empty();
    }
  }

  private void look() {
    boolean open = true;
    try {
      open = host.member().filter(raiser::look).isPresent();
    } finally {
      loop.schedule(open ? RETRY : PERIOD, this::look);
    }
  }

  @Override
  public void close() {
    loop.close();
  }
}
