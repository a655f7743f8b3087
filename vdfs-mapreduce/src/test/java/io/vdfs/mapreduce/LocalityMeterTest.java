package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.vdfs.client.hadoop.locality.ReadLocality;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class LocalityMeterTest {
  private final Map<Object, Long> counters = new ConcurrentHashMap<>();
  private final LocalityMeter meter =
      new LocalityMeter((counter, amount) -> counters.merge(counter, amount, Long::sum));

  /** What counts the files that the calling thread opens within a call of the reader. */
  private Optional<ReadLocality> within() {
    ReadLocality before = meter.begin();
    try {
      return ReadLocality.ofThread();
    } finally {
      meter.end(before);
    }
  }

  @Test
  void shouldCountWhatIsOpenedWithinACallOnly() {
    ReadLocality outer = new ReadLocality();
    ReadLocality none = ReadLocality.opener().countBy(outer);
    try {
      assertNotEquals(Optional.of(outer), within());
      assertEquals(Optional.of(outer), ReadLocality.ofThread());
    } finally {
      ReadLocality.opener().countBy(none);
    }
    assertEquals(Optional.empty(), ReadLocality.ofThread());
    assertEquals(Map.of(), counters);
  }

  @Test
  void shouldCountOnWhicheverThreadCalls() {
    Optional<ReadLocality> here = within();
    assertEquals(here, CompletableFuture.supplyAsync(this::within).join());
    assertEquals(here, within());
    assertEquals(Optional.empty(), CompletableFuture.supplyAsync(ReadLocality::ofThread).join());
  }
}
