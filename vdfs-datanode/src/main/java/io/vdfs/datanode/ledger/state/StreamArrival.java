package io.vdfs.datanode.ledger.state;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.proto.StreamArrivalProto;
import java.util.Comparator;

/**
 * A stream's place among all, by when it was sealed. Immutable.
 *
 * @param sealedMillis time of the request that sealed it
 */
public record StreamArrival(long sealedMillis, StreamId id) implements Comparable<StreamArrival> {
  /** A place before all streams. */
  static final StreamArrival NONE = new StreamArrival(0, new StreamId(0, 0));

  private static final Comparator<StreamArrival> ORDER =
      Comparator.comparingLong(StreamArrival::sealedMillis).thenComparing(StreamArrival::id);

  static StreamArrival of(StreamArrivalProto message) {
    return new StreamArrival(
        message.getSealedMillis(), StreamId.of(message.getStreamId().toByteArray()));
  }

  StreamArrivalProto toMessage() {
    return StreamArrivalProto.newBuilder()
        .setSealedMillis(sealedMillis)
        .setStreamId(ByteString.copyFrom(id.toBytes()))
        .build();
  }

  /** The least one that was sealed at {@code millis} or later. */
  public static StreamArrival from(long millis) {
    return new StreamArrival(millis, NONE.id);
  }

  @Override
  public int compareTo(StreamArrival other) {
    return ORDER.compare(this, other);
  }
}
