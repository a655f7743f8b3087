package io.vdfs.common.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.checksum.ChunkChecksums;
import org.junit.jupiter.api.Test;

class WireChecksumsTest {
  private static final ChunkChecksums THREE = ChunkChecksums.of(0x01020304, -1, 5);
  private static final ByteString FIELD =
      ByteString.copyFrom(new byte[] {4, 3, 2, 1, -1, -1, -1, -1, 5, 0, 0, 0});

  @Test
  void shouldPutTheLowestByteFirst() {
    assertEquals(FIELD, WireChecksums.encode(THREE));
    assertEquals(ByteString.EMPTY, WireChecksums.encode(ChunkChecksums.NONE));
  }

  @Test
  void shouldGiveAllOrSomeBack() {
    assertEquals(THREE, WireChecksums.decode(FIELD));
    assertEquals(THREE.range(1, 3), WireChecksums.decode(FIELD, 1, 2));
    assertEquals(THREE.range(1, 2), WireChecksums.decode(FIELD, 1, 1));
    assertEquals(ChunkChecksums.NONE, WireChecksums.decode(ByteString.EMPTY));
  }

  @Test
  void shouldTakeFieldsOfSeveralPieces() {
    ByteString pieces =
        WireChecksums.encode(THREE.range(0, 1)).concat(WireChecksums.encode(THREE.range(1, 3)));

    assertEquals(THREE, WireChecksums.decode(pieces));
  }

  @Test
  void shouldNotTakePartsOfChecksums() {
    ByteString cut = FIELD.substring(0, 11);

    assertFalse(WireChecksums.holds(cut, 3));
    assertFalse(WireChecksums.holds(cut, 2));
    assertTrue(WireChecksums.holds(cut.substring(0, 8), 2));
    assertFalse(WireChecksums.holds(ByteString.EMPTY, 1 << 30), "four times that is no int");
    assertEquals(THREE.range(0, 2), WireChecksums.decode(cut));
    assertThrows(IllegalArgumentException.class, () -> WireChecksums.decode(cut, 1, 2));
  }
}
