package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class NodeWeightTest {
  private static final long GIB = 1L << 30;

  @Test
  void shouldWeighATebibyteAsOne() {
    assertEquals(1, NodeWeight.ofCapacity(1024 * GIB));
    assertEquals(16, NodeWeight.ofCapacity(16 * 1024 * GIB));
    assertEquals(0.098, NodeWeight.ofCapacity(100 * GIB));
  }

  @Test
  void shouldNotTellDisksOfOneKindApart() {
    assertEquals(
        NodeWeight.ofCapacity(4_000_787_030_016L), NodeWeight.ofCapacity(4_000_225_165_312L));
  }

  @Test
  void shouldStayInsideTheRange() {
    assertEquals(NodeWeight.LEAST, NodeWeight.ofCapacity(1));
    assertEquals(NodeWeight.MOST, NodeWeight.ofCapacity(Long.MAX_VALUE));
    assertEquals(1, NodeWeight.ofCapacity(0), "nothing is known");
    assertThrows(IllegalArgumentException.class, () -> NodeWeight.ofCapacity(-1));
    for (double weight : new double[] {0, -1, 0.0009, 1001, Double.NaN}) {
      assertThrows(IllegalArgumentException.class, () -> NodeWeight.check(weight), "" + weight);
    }
  }
}
