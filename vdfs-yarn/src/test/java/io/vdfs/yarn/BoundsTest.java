package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;

class BoundsTest {
  private final Configuration conf = new Configuration(false);

  private Bounds bounds(long configured, long machine) throws RefusedException {
    return Bounds.of(OvercommitSettings.of(conf), new NodeProcessors(2), configured, machine);
  }

  @Test
  void shouldKeepTheReserveBack() throws RefusedException {
    assertEquals(new Bounds(2, 8, 8_192, 15_488), bounds(8_192, 16_000));
    conf.setInt(OvercommitKeys.MEMORY_RESERVE, 1_000);
    conf.setInt(OvercommitKeys.MEMORY_MAX, 20_000);
    assertEquals(15_000, bounds(8_192, 16_000).mostMemory());
    conf.setInt(OvercommitKeys.MEMORY_MAX, 14_000);
    assertEquals(14_000, bounds(8_192, 16_000).mostMemory());
  }

  @Test
  void shouldNotExceedTheMachineForWhatIsConfigured() throws RefusedException {
    assertEquals(new Bounds(2, 8, 15_488, 15_488), bounds(49_152, 16_000));
  }

  @Test
  void shouldRefuseAMachineWithoutRoomForTheLeastContainer() throws RefusedException {
    assertEquals(1_024, bounds(49_152, 1_536).mostMemory());
    String refusal = assertThrows(RefusedException.class, () -> bounds(49_152, 1_535)).getMessage();
    assertTrue(refusal.startsWith("1023 MiB are left"), refusal);
    assertTrue(refusal.contains(OvercommitKeys.MEMORY_RESERVE + "=512"), refusal);
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 512);
    assertEquals(1_023, bounds(49_152, 1_535).mostMemory());
    conf.setInt(OvercommitKeys.MEMORY_RESERVE, 1 << 20);
    assertThrows(RefusedException.class, () -> bounds(49_152, 65_536));
  }
}
