package io.vdfs.common.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class StreamIdTest {
  @Test
  void shouldTravelAsSixteenBytes() {
    StreamId id = new StreamId(0x0102030405060708L, -2);
    byte[] bytes = id.toBytes();
    assertEquals(StreamId.BYTES, bytes.length);
    assertEquals(1, bytes[0]);
    assertEquals(id, StreamId.of(bytes));
    assertEquals("0102030405060708fffffffffffffffe", id.toString());
    assertEquals(id, StreamId.parse(id.toString()));
  }

  @Test
  void shouldRefuseOtherLengths() {
    assertThrows(IllegalArgumentException.class, () -> StreamId.of(new byte[15]));
    assertThrows(IllegalArgumentException.class, () -> StreamId.parse("0102"));
  }

  @Test
  void shouldOrderAsItsBytes() {
    assertTrue(new StreamId(1, 0).compareTo(new StreamId(-1, 0)) < 0);
    assertTrue(new StreamId(1, -1).compareTo(new StreamId(1, 1)) > 0);
  }
}
