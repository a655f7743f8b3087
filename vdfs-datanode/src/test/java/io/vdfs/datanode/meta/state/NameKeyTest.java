package io.vdfs.datanode.meta.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class NameKeyTest {
  @Test
  void shouldOrderNamesAsTheirUtf8Bytes() {
    List<String> names =
        List.of("", "a", "ab", "b", "\u00e4", "\ue000", "\uffff", "\ud83d\ude00", "\ud83d\ude01x");
    for (String left : names) {
      for (String right : names) {
        int expected = Arrays.compareUnsigned(left.getBytes(UTF_8), right.getBytes(UTF_8));
        int actual = new NameKey(1, left).compareTo(new NameKey(1, right));
        assertEquals(
            Integer.signum(expected), Integer.signum(actual), () -> left + " and " + right);
      }
    }
  }

  @Test
  void shouldOrderByParentFirst() {
    assertEquals(-1, new NameKey(1, "z").compareTo(new NameKey(2, "a")));
  }
}
