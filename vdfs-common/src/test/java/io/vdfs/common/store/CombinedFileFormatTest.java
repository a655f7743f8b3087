package io.vdfs.common.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CombinedFileFormatTest {
  private static final CombinedFileLayout LAYOUT = new CombinedFileLayout(4096, 512);
  private static final CombinedFileHeader HEADER =
      new CombinedFileHeader(
          CombinedFileHeader.Kind.DATA,
          new UUID(1, 2),
          new NodeId(new UUID(3, 4)),
          new UUID(5, 6),
          new FileKey(7, 8),
          BlockRole.REPLICA,
          LAYOUT);

  private static BlockFooter footer(int length) {
    byte[] data = new byte[length];
    new Random(length).nextBytes(data);
    return new BlockFooter(
        3,
        1L << 40,
        99,
        100,
        1234567890123L,
        length,
        length / 2,
        ChunkChecksums.compute(ByteBuffer.wrap(data), LAYOUT.chunkSize()));
  }

  @Test
  void shouldLayOutTheDefaultGeometryAsWrittenDown() {
    CombinedFileLayout layout = CombinedFileLayout.of(ClusterGeometry.DEFAULT);
    assertEquals(1024, layout.footerSize());
    assertEquals(4096, layout.footerAreaSize());
    assertEquals(4096, layout.footerOffset(0, 0));
    assertEquals(4096 + 1024, layout.footerOffset(0, 1));
    assertEquals(2 * 4096, layout.dataOffset(0));
    assertEquals(2 * 4096 + 1000L * ((8 << 20) + 4096), layout.dataOffset(1000));
    assertEquals(0, layout.slotCount(0));
    assertEquals(0, layout.slotCount(4096));
    assertEquals(1, layout.slotCount(4097));
    assertEquals(1, layout.slotCount(layout.footerOffset(1, 0)));
    assertEquals(2, layout.slotCount(layout.footerOffset(1, 0) + 1));
  }

  @Test
  void shouldRecogniseItsOwnHeader() throws VdfsException {
    ByteBuffer page = HEADER.encode();
    assertEquals(CombinedFileHeader.SIZE, page.remaining());
    HEADER.check(page, "x");
  }

  @Test
  void shouldRefuseHeadersOfOtherFiles() {
    CombinedFileHeader other =
        new CombinedFileHeader(
            HEADER.kind(),
            HEADER.cluster(),
            HEADER.node(),
            HEADER.volume(),
            new FileKey(7, 9),
            HEADER.role(),
            LAYOUT);
    VdfsException refused =
        assertThrows(VdfsException.class, () -> HEADER.check(other.encode(), "/d/f"));
    assertEquals(ErrorCode.CORRUPT, refused.code());
    assertTrue(refused.getMessage().contains("/d/f"), refused.getMessage());
    assertTrue(refused.getMessage().contains("file 7.9"), refused.getMessage());
    assertTrue(refused.getMessage().contains("file 7.8"), refused.getMessage());
    CombinedFileHeader index = HEADER.withKind(CombinedFileHeader.Kind.INDEX);
    assertTrue(HEADER.problemWith(index.encode()).orElseThrow().contains("magic"));
    assertTrue(HEADER.problemWith(HEADER.encode().limit(100)).orElseThrow().contains("bytes=100"));
  }

  @Test
  void shouldDetectEveryFlippedBitOfAHeader() {
    byte[] page = HEADER.encode().array();
    for (int bit = 0; bit < page.length * 8; bit++) {
      page[bit / 8] ^= (byte) (1 << bit % 8);
      assertTrue(HEADER.problemWith(ByteBuffer.wrap(page)).isPresent(), "bit " + bit);
      page[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  @Test
  void shouldReadBackFooters() throws VdfsException {
    for (int length : new int[] {0, 1, 511, 512, 513, 4095, 4096}) {
      BlockFooter footer = footer(length);
      ByteBuffer bytes = footer.encode(HEADER);
      assertEquals(FooterDescriptor.size((length + 511) / 512), bytes.remaining());
      assertTrue(bytes.remaining() <= LAYOUT.footerSize());
      ByteBuffer padded = ByteBuffer.allocate(LAYOUT.footerSize()).put(bytes).rewind();
      assertEquals(footer, BlockFooter.decode(padded, HEADER));
    }
  }

  @Test
  void shouldRefuseFootersOfOtherPlaces() throws VdfsException {
    CombinedFileHeader own = HEADER;
    List<CombinedFileHeader> others =
        List.of(
            with(new UUID(1, 3), own.node(), own.volume(), own.key(), own.role()),
            with(own.cluster(), new NodeId(new UUID(3, 5)), own.volume(), own.key(), own.role()),
            with(own.cluster(), own.node(), new UUID(5, 7), own.key(), own.role()),
            with(own.cluster(), own.node(), own.volume(), new FileKey(7, 9), own.role()),
            with(own.cluster(), own.node(), own.volume(), own.key(), BlockRole.PRIMARY));
    for (CombinedFileHeader other : others) {
      ByteBuffer bytes = footer(4000).encode(other);
      BlockFooter.decode(bytes, other);
      VdfsException refused =
          assertThrows(VdfsException.class, () -> BlockFooter.decode(bytes, own));
      assertEquals(ErrorCode.CORRUPT, refused.code());
      assertTrue(refused.getMessage().contains("of another place"), refused.getMessage());
    }
  }

  private static CombinedFileHeader with(
      UUID cluster, NodeId node, UUID volume, FileKey key, BlockRole role) {
    return new CombinedFileHeader(HEADER.kind(), cluster, node, volume, key, role, LAYOUT);
  }

  @Test
  void shouldDetectEveryFlippedBitOfAFooter() {
    byte[] bytes = footer(4000).encode(HEADER).array();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      assertTrue(BlockFooter.problemWith(ByteBuffer.wrap(bytes), HEADER).isPresent(), "bit " + bit);
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  @Test
  void shouldDetectFootersCutShort() {
    ByteBuffer bytes = footer(4000).encode(HEADER);
    for (int size = 0; size < bytes.capacity(); size++) {
      assertTrue(BlockFooter.problemWith(bytes.slice(0, size), HEADER).isPresent(), "size " + size);
    }
    VdfsException refused =
        assertThrows(
            VdfsException.class, () -> BlockFooter.decode(ByteBuffer.allocate(512), HEADER));
    assertTrue(refused.getMessage().contains("found=00000000"), refused.getMessage());
  }

  @Test
  void shouldReadWhateverHeaderAPageHolds() {
    for (CombinedFileHeader.Kind kind : CombinedFileHeader.Kind.values()) {
      CombinedFileHeader header = HEADER.withKind(kind);
      ByteBuffer page = ByteBuffer.allocate(7 + CombinedFileHeader.SIZE).position(7);
      page.put(header.encode()).position(7);
      assertEquals(Optional.of(header), CombinedFileHeader.decode(kind, page));
      assertEquals(7, page.position());
    }
    CombinedFileHeader.Kind other = CombinedFileHeader.Kind.INDEX;
    assertEquals(Optional.empty(), CombinedFileHeader.decode(other, HEADER.encode()));
    ByteBuffer cut = HEADER.encode().limit(CombinedFileHeader.SIZE - 1);
    assertEquals(Optional.empty(), CombinedFileHeader.decode(HEADER.kind(), cut));
  }

  @Test
  void shouldReadNoHeaderFromAPageWithAnyBitFlipped() {
    byte[] page = HEADER.encode().array();
    for (int bit = 0; bit < page.length * 8; bit++) {
      page[bit / 8] ^= (byte) (1 << bit % 8);
      assertEquals(
          Optional.empty(),
          CombinedFileHeader.decode(HEADER.kind(), ByteBuffer.wrap(page)),
          "bit " + bit);
      page[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  @Test
  void shouldTellFromAFooterWhoseFileItStandsIn() {
    for (int length : new int[] {0, 513, 4096}) {
      ByteBuffer padded = ByteBuffer.allocate(5 + LAYOUT.footerSize()).position(5);
      padded.put(footer(length).encode(HEADER)).position(5);
      assertEquals(Optional.of(HEADER), BlockFooter.headerOf(padded, LAYOUT));
      assertEquals(5, padded.position());
      CombinedFileLayout other = new CombinedFileLayout(8192, 512);
      assertEquals(Optional.empty(), BlockFooter.headerOf(padded, other));
    }
  }

  @Test
  void shouldTellNothingFromAFooterThatIsDamagedOrCutShort() {
    byte[] bytes = footer(4000).encode(HEADER).array();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      assertEquals(
          Optional.empty(), BlockFooter.headerOf(ByteBuffer.wrap(bytes), LAYOUT), "bit " + bit);
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }
    for (int size = 0; size < bytes.length; size++) {
      ByteBuffer cut = ByteBuffer.wrap(bytes, 0, size).slice();
      assertEquals(Optional.empty(), BlockFooter.headerOf(cut, LAYOUT), "size " + size);
    }
    Random random = new Random(11);
    for (int run = 0; run < 10_000; run++) {
      random.nextBytes(bytes);
      assertEquals(Optional.empty(), BlockFooter.headerOf(ByteBuffer.wrap(bytes), LAYOUT));
    }
  }

  @Test
  void shouldFindTheFirstChunkThatDiffers() {
    byte[] data = new byte[1300];
    new Random(1).nextBytes(data);
    ChunkChecksums checksums = ChunkChecksums.compute(ByteBuffer.wrap(data), 512);
    assertEquals(3, checksums.count());
    assertEquals(-1, checksums.firstMismatch(ByteBuffer.wrap(data), 512));
    data[1299] ^= 1;
    assertEquals(2, checksums.firstMismatch(ByteBuffer.wrap(data), 512));
    data[512] ^= 1;
    assertEquals(1, checksums.firstMismatch(ByteBuffer.wrap(data), 512));
    assertThrows(
        IllegalArgumentException.class,
        () -> checksums.firstMismatch(ByteBuffer.wrap(data, 0, 1024), 512));
    assertEquals(checksums.range(1, 3), ChunkChecksums.of(checksums.get(1), checksums.get(2)));
  }
}
