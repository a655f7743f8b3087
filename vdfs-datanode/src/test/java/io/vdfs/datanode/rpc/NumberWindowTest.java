package io.vdfs.datanode.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NumberWindowTest {
  private final NumberWindow window = new NumberWindow();

  @Test
  void shouldLetEachNumberThroughOnceInAnyOrder() {
    Random random = new Random(7);
    Set<Long> used = new HashSet<>();
    long highest = -1;
    for (int i = 0; i < 200_000; i++) {
      long number = Math.max(0, highest - 3000 + random.nextInt(3100));
      assertEquals(used.add(number), window.use(number), "number=" + number);
      highest = Math.max(highest, number);
    }
  }

  @Test
  void shouldTakeWhatIsFarBehindForUsed() {
    assertTrue(window.use(1_000_000));
    assertFalse(window.use(1_000_000 - NumberWindow.SIZE));
    assertTrue(window.use(1_000_001 - NumberWindow.SIZE));
    assertFalse(window.use(-1));
    assertFalse(window.use(Long.MAX_VALUE));
    assertTrue(window.use(Long.MAX_VALUE - 1));
    assertFalse(window.use(1_000_001));
    assertTrue(window.use(Long.MAX_VALUE - 2));
    assertFalse(window.use(Long.MAX_VALUE - 1));
  }
}
