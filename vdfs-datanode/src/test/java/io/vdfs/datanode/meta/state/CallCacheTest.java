package io.vdfs.datanode.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CallRecord;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import org.junit.jupiter.api.Test;

class CallCacheTest {
  private static final ByteString CLIENT = ByteString.copyFromUtf8("0123456789abcdef");

  private static MetadataLimits limits(int calls, long bytes) {
    MetadataLimits all = MetadataLimits.DEFAULT;
    return new MetadataLimits(
        all.pathLength(),
        all.componentBytes(),
        all.pathDepth(),
        all.fileLength(),
        all.replication(),
        all.exclusions(),
        all.xattrs(),
        all.xattrBytes(),
        all.pageEntries(),
        all.pageBytes(),
        all.walkEntries(),
        calls,
        bytes,
        1_000,
        all.deletions(),
        all.deletionMillis());
  }

  private static CallRecord call(long call, long time) {
    return CallRecord.newBuilder()
        .setClientId(CLIENT)
        .setCall(call)
        .setUser("alice")
        .setTimeMillis(time)
        .setResponse(MetaResponse.getDefaultInstance().toByteString())
        .build();
  }

  private static boolean knows(CallCache cache, long call, String user) {
    CallIdProto id = CallIdProto.newBuilder().setClientId(CLIENT).setCall(call).build();
    return cache.find(id, user).isPresent();
  }

  @Test
  void shouldForgetTheOldestBeyondTheNumber() {
    CallCache cache = new CallCache(limits(2, 1_000_000));
    cache.add(call(1, 10));
    cache.add(call(2, 10));
    cache.add(call(3, 10));
    assertFalse(knows(cache, 1, "alice"));
    assertTrue(knows(cache, 2, "alice"));
    assertTrue(knows(cache, 3, "alice"));
  }

  @Test
  void shouldForgetTheOldestBeyondTheBytes() {
    CallCache cache = new CallCache(limits(100, 2L * call(1, 10).getSerializedSize()));
    for (long i = 1; i <= 10; i++) {
      cache.add(call(i, 10));
    }
    assertEquals(2, cache.all().size());
    assertTrue(knows(cache, 10, "alice"));
  }

  @Test
  void shouldForgetByTheTimeOfTheLog() {
    CallCache cache = new CallCache(limits(100, 1_000_000));
    cache.add(call(1, 10));
    cache.add(call(2, 11));
    cache.evict(1_010);
    assertTrue(knows(cache, 1, "alice"));
    cache.evict(1_011);
    assertFalse(knows(cache, 1, "alice"));
    assertTrue(knows(cache, 2, "alice"));
  }

  @Test
  void shouldNotShowACallToAnotherUser() {
    CallCache cache = new CallCache(limits(100, 1_000_000));
    cache.add(call(1, 10));
    assertFalse(knows(cache, 1, "bob"));
  }
}
