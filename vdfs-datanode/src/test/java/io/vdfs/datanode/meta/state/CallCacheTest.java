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
    return limits(calls, bytes, 1_000);
  }

  private static MetadataLimits limits(int calls, long bytes, long callMillis) {
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
        callMillis,
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

  /** As a member does that has applied the log so far, whose age is the time of its entries. */
  private static void add(CallCache cache, long call, long time) {
    cache.add(call(call, time), at(time));
  }

  private static LogClock at(long time) {
    return new LogClock(time, time, time);
  }

  private static boolean knows(CallCache cache, long call, String user) {
    CallIdProto id = CallIdProto.newBuilder().setClientId(CLIENT).setCall(call).build();
    return cache.find(id, user).isPresent();
  }

  @Test
  void shouldForgetTheOldestBeyondTheNumber() {
    CallCache cache = new CallCache(limits(2, 1_000_000));
    add(cache, 1, 10);
    add(cache, 2, 10);
    add(cache, 3, 10);
    assertFalse(knows(cache, 1, "alice"));
    assertTrue(knows(cache, 2, "alice"));
    assertTrue(knows(cache, 3, "alice"));
  }

  @Test
  void shouldForgetTheOldestBeyondTheBytes() {
    CallCache cache = new CallCache(limits(100, 2L * call(1, 10).getSerializedSize()));
    for (long i = 1; i <= 10; i++) {
      add(cache, i, 10);
    }
    assertEquals(2, cache.all().size());
    assertTrue(knows(cache, 10, "alice"));
  }

  @Test
  void shouldForgetByTheTimeOfTheLog() {
    CallCache cache = new CallCache(limits(100, 1_000_000));
    add(cache, 1, 10);
    add(cache, 2, 11);
    cache.evict(1_010);
    assertTrue(knows(cache, 1, "alice"));
    cache.evict(1_011);
    assertFalse(knows(cache, 1, "alice"));
    assertTrue(knows(cache, 2, "alice"));
  }

  @Test
  void shouldNotShowACallToAnotherUser() {
    CallCache cache = new CallCache(limits(100, 1_000_000));
    add(cache, 1, 10);
    assertFalse(knows(cache, 1, "bob"));
  }

  private static CallCache large(int calls, long bytes) {
    return new CallCache(limits(calls, bytes, 600_000));
  }

  /** Whether a first try that was sent at {@code sent} counts as forgotten at {@code now}. */
  private static boolean forgotten(CallCache cache, long sent, long now) {
    return cache.mayHaveForgotten(now - sent, now);
  }

  @Test
  void shouldNotTakeForForgottenWhatIsYoungerThanAllThatWas() {
    CallCache cache = large(2, 1_000_000);
    add(cache, 1, 100_000);
    add(cache, 2, 120_000);
    assertFalse(forgotten(cache, 1, 130_000), "nothing was forgotten");
    add(cache, 3, 130_000);
    long last = 100_000 + CallCache.MARGIN_MILLIS;
    assertTrue(forgotten(cache, last, 131_000));
    assertFalse(forgotten(cache, last + 1, 131_000));
    assertTrue(forgotten(cache, last, 160_000), "that does not pass");
    add(cache, 4, 161_000);
    assertTrue(forgotten(cache, 120_000, 162_000));
    assertFalse(forgotten(cache, 130_000, 162_000));
  }

  @Test
  void shouldTakeForForgottenWhatIsTooOldToBeKept() {
    CallCache cache = large(2, 1_000_000);
    assertFalse(forgotten(cache, 1_000_000, 1_599_999));
    assertTrue(forgotten(cache, 1_000_000, 1_600_000));
    assertTrue(cache.mayHaveForgotten(-1, 1_600_000), "an age of 64 bits");
    assertTrue(cache.mayHaveForgotten(Long.MAX_VALUE, 1_600_000));
  }

  /** Entries that are not in the order of their times let the log's age run ahead. */
  @Test
  void shouldGoByTheTimesOfEntriesRatherThanByTheAgeOfTheLog() {
    CallCache cache = large(1, 1_000_000);
    cache.add(call(1, 500_000), new LogClock(100_000, 100_000, 500_000));
    cache.add(call(2, 540_000), new LogClock(120_000, 120_000, 540_000));
    assertTrue(forgotten(cache, 100_000, 121_000));
    assertFalse(forgotten(cache, 106_000, 121_000));
  }

  private static CallCache reloaded(CallCache cache, CallCache empty, LogClock clock) {
    cache.all().forEach(call -> empty.add(call, clock));
    empty.onLoaded(clock);
    return empty;
  }

  @Test
  void shouldKnowOfAFullSnapshotThatAllBeforeItMayBeForgotten() {
    CallCache cache = large(2, 1_000_000);
    for (int call = 1; call <= 3; call++) {
      add(cache, call, 100_000 + call * 10_000L);
    }
    CallCache loaded = reloaded(cache, large(2, 1_000_000), at(140_000));
    assertTrue(knows(loaded, 2, "alice"));
    assertTrue(forgotten(loaded, 110_000, 141_000), "it was");
    assertTrue(forgotten(loaded, 129_000, 141_000), "by an age that ran twice as fast, half of it");
    assertFalse(forgotten(loaded, 136_000, 141_000));
    add(loaded, 4, 150_000);
    add(loaded, 5, 151_000);
    add(loaded, 6, 152_000);
    assertTrue(forgotten(loaded, 154_000, 160_000), "from now on it knows exactly");
    assertFalse(forgotten(loaded, 156_000, 160_000));
  }

  @Test
  void shouldKnowOfASnapshotWithManyBytesThatAllBeforeItMayBeForgotten() {
    long size = call(1, 100_000).getSerializedSize();
    CallCache cache = large(100, 3 * size);
    add(cache, 1, 100_000);
    assertFalse(forgotten(reloaded(cache, large(100, 3 * size), at(110_000)), 50_000, 111_000));
    add(cache, 2, 100_000);
    assertTrue(forgotten(reloaded(cache, large(100, 3 * size), at(110_000)), 50_000, 111_000));
  }

  @Test
  void shouldTakeOnlyOldCallsForForgottenWhereASnapshotHasRoomLeft() {
    CallCache cache = large(2, 1_000_000);
    add(cache, 1, 1_000_000);
    CallCache loaded = reloaded(cache, large(2, 1_000_000), at(1_000_000));
    assertFalse(forgotten(loaded, 1_000_000 - 290_000, 1_001_000));
    assertTrue(forgotten(loaded, 1_000_000 - 300_000, 1_001_000), "by an age twice as fast");
    CallCache none = reloaded(large(2, 1_000_000), large(2, 1_000_000), at(1_000_000));
    assertFalse(forgotten(none, 1_000_000 - 290_000, 1_001_000));
  }
}
