package io.vdfs.datanode.meta.state;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CallRecord;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The first outcomes of recent calls, so that a retry changes nothing and gets the same answer.
 * Confined to the metadata loop; changed only while records are replayed.
 *
 * <p>Bounded by number, by bytes and by the time of the log; the oldest go first. The user is part
 * of the key: no user gets another user's answer by guessing its call id.
 */
public final class CallCache {
  private record Key(ByteString clientId, long call, String user) {}

  private final MetadataLimits limits;
  private final Map<Key, CallRecord> calls = new LinkedHashMap<>();
  private long bytes;

  public CallCache(MetadataLimits limits) {
    this.limits = limits;
  }

  public Optional<MetaResponse> find(CallIdProto id, String user) {
    CallRecord call = calls.get(new Key(id.getClientId(), id.getCall(), user));
    return Optional.ofNullable(call).map(CallCache::response);
  }

  private static MetaResponse response(CallRecord call) {
    try {
      return MetaResponse.parseFrom(call.getResponse());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("unreadable response: call=" + call.getCall(), e);
    }
  }

  /** Adds a call, later than all before. */
  public void add(CallRecord call) {
    CallRecord old = calls.put(new Key(call.getClientId(), call.getCall(), call.getUser()), call);
    if (old != null) {
      throw new IllegalStateException("call was answered before: call=" + call.getCall());
    }
    bytes += call.getSerializedSize();
    evict(call.getTimeMillis());
  }

  /** Drops what is too old at {@code timeMillis}, then what is too much. */
  public void evict(long timeMillis) {
    Iterator<CallRecord> oldestFirst = calls.values().iterator();
    while (oldestFirst.hasNext()) {
      CallRecord oldest = oldestFirst.next();
      boolean expired = oldest.getTimeMillis() < timeMillis - limits.callMillis();
      if (!expired && calls.size() <= limits.calls() && bytes <= limits.callBytes()) {
        return;
      }
      oldestFirst.remove();
      bytes -= oldest.getSerializedSize();
    }
  }

  /** All calls, oldest first. */
  public Collection<CallRecord> all() {
    return Collections.unmodifiableCollection(calls.values());
  }
}
