package io.vdfs.datanode.meta.state;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CallRecord;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The first outcomes of recent calls, so that a retry changes nothing and gets the same answer.
 * Confined to the metadata loop; changed only while records are replayed.
 *
 * <p>Bounded by number, by bytes and by the time of the log; the oldest go first. The user is part
 * of the key: no user gets another user's answer by guessing its call id.
 *
 * <p>Also knows, for the leader, up to when calls have been forgotten: a retry of one of them would
 * happen a second time. That goes by the times that leaders put into entries, not by the log's age,
 * which runs ahead where entries are not quite in the order of their times. It is no part of the
 * replicated state: a member that loaded a snapshot knows it less exactly, see {@link #onLoaded}.
 */
public final class CallCache {
  /** For leaders' clocks that differ, and for the way of a request from its sender to the check. */
  static final long MARGIN_MILLIS = 5_000;

  /** The log's age is taken to have run at most so much faster than the clocks of leaders. */
  private static final int FASTEST_AGE = 2;

  private record Key(ByteString clientId, long call, String user) {}

  private record Kept(CallRecord call, long loggedMillis) {}

  private final MetadataLimits limits;
  private final Map<Key, Kept> calls = new LinkedHashMap<>();
  private long bytes;
  private long forgottenMillis = Long.MIN_VALUE; // when the youngest one forgotten was logged

  public CallCache(MetadataLimits limits) {
    this.limits = limits;
  }

  public Optional<MetaResponse> find(CallIdProto id, String user) {
    Kept kept = calls.get(new Key(id.getClientId(), id.getCall(), user));
    return Optional.ofNullable(kept).map(found -> response(found.call()));
  }

  /**
   * Whether a call that is not here may have been, so that nobody can tell what became of it. In
   * doubt it may.
   *
   * @param ageMillis since its first try was sent; negative counts as for ever
   * @param nowMillis by the clock that puts the time into entries
   */
  public boolean mayHaveForgotten(long ageMillis, long nowMillis) {
    return ageMillis < 0
        || ageMillis >= limits.callMillis()
        || nowMillis - ageMillis - MARGIN_MILLIS <= forgottenMillis;
  }

  private static MetaResponse response(CallRecord call) {
    try {
      return MetaResponse.parseFrom(call.getResponse());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("unreadable response: call=" + call.getCall(), e);
    }
  }

  /**
   * Adds a call, later than all before.
   *
   * @param clock at the call; in a snapshot, at its end
   */
  public void add(CallRecord call, LogClock clock) {
    long ageMillis = clock.ageMillis() - call.getTimeMillis();
    Kept kept = new Kept(call, clock.lastMillis() - ageMillis / FASTEST_AGE);
    Kept old = calls.put(new Key(call.getClientId(), call.getCall(), call.getUser()), kept);
    if (old != null) {
      throw new IllegalStateException("call was answered before: call=" + call.getCall());
    }
    bytes += call.getSerializedSize();
    evict(call.getTimeMillis());
  }

  /** Drops what is too old at {@code timeMillis}, then what is too much. */
  public void evict(long timeMillis) {
    Iterator<Kept> oldestFirst = calls.values().iterator();
    while (oldestFirst.hasNext()) {
      Kept oldest = oldestFirst.next();
      boolean expired = oldest.call().getTimeMillis() < timeMillis - limits.callMillis();
      if (!expired && calls.size() <= limits.calls() && bytes <= limits.callBytes()) {
        return;
      }
      oldestFirst.remove();
      bytes -= oldest.call().getSerializedSize();
      forgottenMillis = oldest.loggedMillis();
    }
  }

  /**
   * Concludes from the calls of a snapshot, once all are added, which ones were forgotten before
   * it. Where there is room left, none was for the lack of it since the last one that was too old:
   * from then on number and bytes have only grown. Else all up to the oldest one that is left may
   * have been.
   *
   * @param clock of the snapshot
   */
  public void onLoaded(LogClock clock) {
    forgottenMillis =
        mayHaveLackedRoom()
            ? calls.values().iterator().next().loggedMillis()
            : clock.lastMillis() - limits.callMillis() / FASTEST_AGE;
  }

  /** By the bytes also where half of them are left: one answer, never as long, may have left it. */
  private boolean mayHaveLackedRoom() {
    return !calls.isEmpty() && (calls.size() >= limits.calls() || bytes > limits.callBytes() / 2);
  }

  /** All calls, oldest first. */
  public List<CallRecord> all() {
    return calls.values().stream().map(Kept::call).toList();
  }
}
