package io.vdfs.client.read;

import io.vdfs.client.io.BlockDelivery;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.Delivery;
import io.vdfs.client.io.ReplicaOrder;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaNode;
import java.util.ArrayList;
import java.util.List;

/** A replica and how its bytes are to come. Immutable. */
record ReadWay(ReplicaNode node, BlockDelivery delivery) {
  /**
   * The ways to a group in the order in which they are tried: replicas as {@link ReplicaOrder} has
   * them, each by the deliveries that the settings allow, in their order.
   */
  static List<ReadWay> of(ClientIo io, FileView view, int group) {
    List<ReadWay> ways = new ArrayList<>();
    for (ReplicaNode node : ReplicaOrder.of(io, view, group)) {
      for (BlockDelivery delivery : io.deliveries()) {
        if (isWanted(io.settings().delivery(), delivery, node, view)) {
          ways.add(new ReadWay(node, delivery));
        }
      }
    }
    return ways;
  }

  private static boolean isWanted(
      Delivery asked, BlockDelivery delivery, ReplicaNode node, FileView view) {
    return asked == Delivery.AUTO
        ? delivery.isPromising(node, view)
        : delivery.name() == asked && delivery.reaches(node);
  }

  /** The way to the same node by another delivery. */
  ReadWay by(ClientIo io, Delivery name) {
    return new ReadWay(node, io.delivery(name));
  }
}
