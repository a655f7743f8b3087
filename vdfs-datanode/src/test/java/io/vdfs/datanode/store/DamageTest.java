package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.common.store.FooterDescriptor;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class DamageTest {
  private static final int LENGTH = 2 * BLOCK + 700;
  private static final CombinedFileLayout LAYOUT = CombinedFileLayout.of(StoreFixture.GEOMETRY);

  private final Machine machine = new Machine(ONE_VOLUME);
  private final byte[] file = content(1, LENGTH);
  private DiskBlockStore store;
  private Path data;
  private Path index;
  private List<BlockLocation> locations;

  @BeforeEach
  void writeFile() throws VdfsException {
    store = machine.start();
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 3, 0);
    append(writer, file, 0, 700);
    writer.checkpoint();
    append(writer, file, CHUNK, 900);
    writer.sync();
    append(writer, file, CHUNK, LENGTH);
    writer.close(true);
    store.fence(KEY, 0, 4);
    store.fence(KEY, 2, 9);
    data = StoreFixture.file(machine.disk(), ".vcf");
    index = StoreFixture.file(machine.disk(), ".idx");
    locations = locations();
  }

  @AfterEach
  void stop() throws VdfsException {
    machine.close();
  }

  private List<BlockLocation> locations() {
    List<BlockLocation> found = new ArrayList<>();
    for (long block = 0; block < StoreFixture.GROUP_BLOCKS; block++) {
      store.locate(KEY, block).ifPresent(found::add);
    }
    return found;
  }

  private void restart() throws VdfsException {
    machine.kill();
    store = machine.start();
  }

  private void assertAllThere(String when) throws VdfsException {
    assertEquals(locations, locations(), when);
    assertArrayEquals(file, readGroup(store, KEY, 0), when);
    assertEquals(4, store.group(KEY, 0).fenceEpoch(), when);
    assertEquals(9, store.group(KEY, 2).fenceEpoch(), when);
  }

  @Test
  void shouldLoadFromTheIndexFileAlone() throws VdfsException {
    restart();
    assertAllThere("restart");
    assertEquals(
        new StoreReport(List.of(), List.of(), Map.of(), 1, 3, 0, 0, List.of()), store.report());
  }

  @Test
  void shouldRebuildTheIndexWhereverABitFlips() throws VdfsException {
    byte[] original = machine.disk().bytes(index);
    int flipped = 0;
    for (long bit = 0; bit < original.length * 8L; bit += bit < 4096 * 8 - 40 ? 997 : 1) {
      machine.kill();
      machine.disk().setBytes(index, original);
      machine.disk().flip(index, bit);
      store = machine.start();
      assertEquals(1, store.report().rebuiltIndexes(), "bit " + bit);
      assertEquals(locations, locations(), "bit " + bit);
      flipped++;
    }
    assertTrue(flipped > 1000, "flipped " + flipped);
    restart();
    assertEquals(0, store.report().rebuiltIndexes());
  }

  @Test
  void shouldSalvageFencesBehindDamage() throws VdfsException {
    machine.disk().flip(index, (CombinedFileHeader.SIZE + 5) * 8L);
    restart();
    assertAllThere("damage before the fences");
  }

  @Test
  void shouldRebuildAnIndexThatCannotBeReadAndSalvageItsFences() throws VdfsException {
    machine.disk().spoil(index, CHUNK, 1);
    restart();
    assertEquals(1, store.report().rebuiltIndexes());
    assertAllThere("unreadable index");
    restart();
    assertEquals(0, store.report().rebuiltIndexes());
    assertAllThere("after a restart");
  }

  @Test
  void shouldServeTheRestWhereAFooterCannotBeReadAndLookAgainAtTheNextStart() throws VdfsException {
    machine.disk().setBytes(index, new byte[0]);
    for (int slot = 0; slot < 3; slot++) {
      for (int copy = 0; copy < CombinedFileLayout.FOOTER_COPIES; copy++) {
        machine.disk().spoil(data, LAYOUT.footerOffset(slot, copy), 1);
        restart();
        String when = "slot " + slot + ", copy " + copy;
        assertTrue(store.report().problems().toString().contains("footer cannot be read"), when);
        byte[] held = readGroup(store, KEY, 0);
        assertArrayEquals(Arrays.copyOf(file, held.length), held, when);
        for (long other = 0; other < 3; other++) {
          assertTrue(other == slot || store.locate(KEY, other).isPresent(), when);
        }
        machine.disk().heal(data);
        restart();
        assertArrayEquals(file, readGroup(store, KEY, 0), when);
        machine.disk().setBytes(index, new byte[0]);
      }
    }
  }

  @Test
  void shouldServeTheRestWhereBytesCannotBeReadAndLookAgainAtTheNextStart() throws VdfsException {
    machine.disk().setBytes(index, new byte[0]);
    machine.disk().spoil(data, LAYOUT.dataOffset(1) + CHUNK, 1);
    restart();
    assertTrue(store.report().problems().toString().contains("bytes cannot be read"));
    assertEquals(LENGTH, store.group(KEY, 0).length());
    assertEquals(BLOCK, StoreFixture.read(store, KEY, 0, 0, BLOCK).length);
    assertCode(ErrorCode.IO_ERROR, () -> StoreFixture.read(store, KEY, 1, 0, BLOCK));
    assertEquals(BLOCK, StoreFixture.verified(store, KEY, 0, 5));
    machine.disk().heal(data);
    restart();
    assertArrayEquals(file, readGroup(store, KEY, 0));
    assertEquals(1, store.report().recoveredBlocks());
  }

  @Test
  void shouldRebuildAMissingOrShortIndex() throws VdfsException {
    byte[] original = machine.disk().bytes(index);
    for (int size = 0; size < original.length; size += 7) {
      machine.kill();
      machine.disk().setBytes(index, Arrays.copyOf(original, size));
      store = machine.start();
      assertEquals(locations, locations(), "size " + size);
      assertArrayEquals(file, readGroup(store, KEY, 0), "size " + size);
    }
  }

  @Test
  void shouldNotTrustAnIndexBeyondTheDataFile() throws VdfsException {
    long second = LAYOUT.footerOffset(1, 0);
    assertCutTo(BLOCK, second, "before the block");
    assertCutTo(BLOCK, second + LAYOUT.footerSize(), "behind its first footer");
    assertCutTo(BLOCK, LAYOUT.dataOffset(1) + 5, "in its first chunk");
    assertCutTo(BLOCK + CHUNK, LAYOUT.dataOffset(1) + CHUNK + 5, "in its second chunk");
  }

  private void assertCutTo(int expected, long size, String where) throws VdfsException {
    byte[] whole = machine.disk().bytes(data);
    byte[] right = machine.disk().bytes(index);
    machine.kill();
    machine.disk().setBytes(data, Arrays.copyOf(whole, (int) size));
    store = machine.start();
    assertArrayEquals(Arrays.copyOf(file, expected), readGroup(store, KEY, 0), where);
    assertEquals(expected == BLOCK, store.locate(KEY, 1).isEmpty(), where);
    assertTrue(
        store.report().problems().toString().contains("data file ends before a block"), where);
    restart();
    assertEquals(0, store.report().rebuiltIndexes(), where);
    assertArrayEquals(Arrays.copyOf(file, expected), readGroup(store, KEY, 0), where);
    machine.kill();
    machine.disk().setBytes(data, whole);
    machine.disk().setBytes(index, right);
    store = machine.start();
  }

  @Test
  void shouldKeepALengthThatWasSyncedWhenTheFileIsCut() throws VdfsException {
    byte[] whole = machine.disk().bytes(data);
    machine.kill();
    machine.disk().setBytes(data, Arrays.copyOf(whole, (int) LAYOUT.dataOffset(0) + CHUNK + 5));
    store = machine.start();
    for (String when : List.of("at first", "after a restart")) {
      assertEquals(BLOCK, store.group(KEY, 0).length(), when);
      assertThrows(VdfsException.class, () -> StoreFixture.read(store, KEY, 0, 0, BLOCK), when);
      assertTrue(store.report().problems().toString().contains("bytes differ"), when);
      restart();
    }
  }

  @Test
  void shouldFallBackToTheOtherFooterWhereverABitFlips() throws VdfsException {
    byte[] whole = machine.disk().bytes(data);
    byte[] noIndex = new byte[0];
    for (int copy = 0; copy < CombinedFileLayout.FOOTER_COPIES; copy++) {
      for (int bit = 0; bit < FooterDescriptor.size(2) * 8; bit++) {
        machine.kill();
        machine.disk().setBytes(data, whole);
        machine.disk().setBytes(index, noIndex);
        machine.disk().flip(data, LAYOUT.footerOffset(0, copy) * 8 + bit);
        store = machine.start();
        byte[] held = readGroup(store, KEY, 0);
        String when = "copy " + copy + ", bit " + bit + ", held " + held.length;
        assertTrue(held.length == LENGTH || held.length == 900, when);
        assertArrayEquals(Arrays.copyOf(file, held.length), held, when);
        assertTrue(store.report().problems().toString().contains("copy=" + copy), when);
      }
    }
  }

  @Test
  void shouldNotReuseASlotWhoseFootersAreLost() throws VdfsException {
    // the block was closed with its first footer: there is no other copy
    machine.disk().flip(data, LAYOUT.footerOffset(2, 0) * 8 + 99);
    machine.disk().setBytes(index, new byte[0]);
    restart();
    assertArrayEquals(Arrays.copyOf(file, 2 * BLOCK), readGroup(store, KEY, 0));
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 9, 2L * BLOCK);
    append(writer, file, 2 * BLOCK, LENGTH);
    writer.close(true);
    assertEquals(LAYOUT.dataOffset(3), store.locate(KEY, 2).orElseThrow().position());
    assertArrayEquals(file, readGroup(store, KEY, 0));
  }

  @Test
  void shouldReportBytesThatDifferWithTheirPlace() throws VdfsException {
    BlockLocation second = store.locate(KEY, 1).orElseThrow();
    machine.disk().flip(data, (second.position() + 2L * CHUNK + 17) * 8);
    VdfsException refused =
        assertCode(ErrorCode.CORRUPT, () -> StoreFixture.read(store, KEY, 1, 0, BLOCK));
    assertTrue(refused.getMessage().contains(data.toString()), refused.getMessage());
    assertTrue(refused.getMessage().contains("offset=" + 2 * CHUNK), refused.getMessage());
    assertEquals(1, store.counters().get(StoreCounter.CORRUPT_CHUNKS));
    assertEquals(CHUNK, StoreFixture.read(store, KEY, 1, CHUNK, CHUNK).length);
    assertCode(ErrorCode.CORRUPT, () -> store.truncateGroup(KEY, 0, BLOCK + 3L * CHUNK, 11));
  }

  @Test
  void shouldServeAFileWhoseHeaderIsDamagedAndRewriteTheHeader() throws VdfsException {
    byte[] right = machine.disk().bytes(data);
    machine.disk().flip(data, 70 * 8);
    restart();
    assertAllThere("damaged header");
    assertEquals(1, store.counters().get(StoreCounter.REWRITTEN_HEADERS));
    assertArrayEquals(right, machine.disk().bytes(data));
    machine.cutPower(1);
    store = machine.start();
    assertAllThere("power cut");
    assertEquals(0, store.counters().get(StoreCounter.REWRITTEN_HEADERS));
  }

  @Test
  void shouldServeAFileWhoseHeaderPageIsOfNoFile() throws VdfsException {
    byte[] right = machine.disk().bytes(data);
    byte[] zeroed = right.clone();
    Arrays.fill(zeroed, 0, CombinedFileHeader.SIZE, (byte) 0);
    machine.disk().setBytes(data, zeroed);
    restart();
    assertAllThere("zeroed header");
    assertArrayEquals(right, machine.disk().bytes(data));
  }

  @Test
  void shouldServeAFileWhoseHeaderCannotBeReadAndRewriteTheHeader() throws VdfsException {
    machine.disk().spoil(data, CHUNK, 1);
    restart();
    assertAllThere("unreadable header");
    assertEquals(1, store.counters().get(StoreCounter.REWRITTEN_HEADERS));
    restart();
    assertAllThere("after a restart");
    assertEquals(0, store.counters().get(StoreCounter.REWRITTEN_HEADERS));
  }

  @Test
  void shouldRewriteAHeaderThatCannotBeReadAtTheStartWhenTheIndexIsGoneToo() throws VdfsException {
    machine.disk().spoil(data, CHUNK, 1);
    machine.disk().setBytes(index, new byte[0]);
    restart();
    assertTrue(store.report().problems().toString().contains("header rewritten"));
    assertArrayEquals(file, readGroup(store, KEY, 0));
  }

  @Test
  void shouldNotTakeAFileForAnothersOfWhichNothingCanBeRead() throws VdfsException {
    machine.disk().spoil(data, 0, LAYOUT.footerOffset(2, 1) + CHUNK);
    restart();
    assertCode(ErrorCode.IO_ERROR, () -> readGroup(store, KEY, 0));
    machine.disk().setBytes(index, new byte[0]);
    restart();
    assertTrue(store.report().problems().toString().contains("not loaded"));
    machine.disk().heal(data);
    restart();
    assertArrayEquals(file, readGroup(store, KEY, 0));
  }

  @Test
  void shouldRewriteADamagedHeaderAtTheStartWhenTheIndexIsGoneToo() throws VdfsException {
    byte[] right = machine.disk().bytes(data);
    machine.disk().flip(data, 70 * 8);
    machine.disk().setBytes(index, new byte[0]);
    restart();
    assertEquals(1, store.counters().get(StoreCounter.REWRITTEN_HEADERS));
    assertTrue(store.report().problems().toString().contains("header rewritten"));
    assertArrayEquals(file, readGroup(store, KEY, 0));
    assertArrayEquals(
        Arrays.copyOf(right, CombinedFileHeader.SIZE),
        Arrays.copyOf(machine.disk().bytes(data), CombinedFileHeader.SIZE));
    restart();
    assertEquals(0, store.counters().get(StoreCounter.REWRITTEN_HEADERS));
    assertArrayEquals(file, readGroup(store, KEY, 0));
  }

  @Test
  void shouldNotServeTheBytesOfAnotherFile() throws VdfsException {
    Path foreign = writeForeignFile();
    machine.disk().setBytes(data, machine.disk().bytes(foreign));
    restart();
    VdfsException refused =
        assertCode(ErrorCode.CORRUPT, () -> StoreFixture.read(store, KEY, 0, 0, 1));
    assertTrue(refused.getMessage().contains(data.toString()), refused.getMessage());
    assertEquals(0, store.counters().get(StoreCounter.REWRITTEN_HEADERS));
    assertEquals(0, StoreFixture.verified(store, KEY, 0, 5));
    assertTrue(store.delete(KEY));
    FileKey next = new FileKey(KEY.fileId(), KEY.generation() + 1);
    StoreFixture.write(store, next, 0, file, 1);
    assertArrayEquals(file, readGroup(store, next, 0));
  }

  @Test
  void shouldNotServeTheBytesOfAnotherFileUnderARightHeader() throws VdfsException {
    byte[] foreign = machine.disk().bytes(writeForeignFile());
    byte[] mixed = foreign.clone();
    System.arraycopy(machine.disk().bytes(data), 0, mixed, 0, CombinedFileHeader.SIZE);
    machine.disk().setBytes(data, mixed);
    machine.disk().setBytes(index, new byte[0]);
    restart();
    assertEquals(0, store.group(KEY, 0).length());
    assertTrue(store.report().problems().toString().contains("of another place"));
  }

  @Test
  void shouldPutAFileAsideThatIsAnothers() throws VdfsException {
    byte[] foreign = machine.disk().bytes(writeForeignFile());
    machine.disk().setBytes(data, foreign);
    machine.disk().setBytes(index, new byte[0]);
    restart();
    assertEquals(0, store.group(KEY, 0).length());
    assertEquals(1, store.counters().get(StoreCounter.PUT_ASIDE));
    Path aside = data.resolveSibling(data.getFileName() + ".damaged");
    assertArrayEquals(foreign, machine.disk().bytes(aside));
    StoreFixture.write(store, KEY, 0, file, 1);
    restart();
    assertArrayEquals(file, readGroup(store, KEY, 0));
  }

  @Test
  void shouldKeepAllThatWasEverPutAside() throws VdfsException {
    byte[] foreign = machine.disk().bytes(writeForeignFile());
    for (int round = 0; round < 3; round++) {
      byte[] another = foreign.clone();
      another[another.length - 1] = (byte) round;
      machine.disk().setBytes(data, another);
      machine.disk().setBytes(index, new byte[0]);
      restart();
      StoreFixture.write(store, KEY, 0, file, 1);
    }
    assertEquals(
        3,
        machine.disk().files().stream()
            .filter(path -> path.toString().contains(data.getFileName() + ".damaged"))
            .count());
  }

  /** The combined file of another file, of the same role on the same volume. */
  private Path writeForeignFile() throws VdfsException {
    StoreFixture.write(store, new FileKey(78, 1), 0, content(2, LENGTH), 3);
    return data.resolveSibling("78.1.p.vcf");
  }

  @Test
  void shouldPutAFileAsideThatLostAllItsBlocksAndKeepItsFences() throws VdfsException {
    byte[] header = Arrays.copyOf(machine.disk().bytes(data), CombinedFileHeader.SIZE);
    byte[] told = machine.disk().bytes(index);
    machine.disk().setBytes(data, header);
    restart();
    assertEquals(3, store.counters().get(StoreCounter.LOST_BLOCKS));
    assertEquals(1, store.counters().get(StoreCounter.PUT_ASIDE));
    assertTrue(store.report().problems().toString().contains("put aside"));
    assertArrayEquals(
        told, machine.disk().bytes(index.resolveSibling(index.getFileName() + ".damaged")));
    assertEquals(4, store.group(KEY, 0).fenceEpoch());
    assertEquals(9, store.group(KEY, 2).fenceEpoch());
    machine.cutPower(3);
    store = machine.start();
    assertEquals(List.of(), store.report().problems());
    assertEquals(4, store.group(KEY, 0).fenceEpoch());
    StoreFixture.write(store, KEY, 0, file, 5);
    restart();
    assertArrayEquals(file, readGroup(store, KEY, 0));
  }

  @Test
  void shouldPutAFileAsideThatLostAllItsBlocksAndWhoseIndexIsDamaged() throws VdfsException {
    machine.kill();
    machine.disk().setBytes(data, new byte[0]);
    // the fences: the only records that are trusted behind damage
    byte[] told = machine.disk().bytes(index);
    Arrays.fill(told, CombinedFileHeader.SIZE, CombinedFileHeader.SIZE + 8, (byte) 0);
    Arrays.fill(told, told.length - 56, told.length, (byte) 0);
    machine.disk().setBytes(index, told);
    store = machine.start();
    assertEquals(1, store.counters().get(StoreCounter.PUT_ASIDE));
    assertArrayEquals(
        told, machine.disk().bytes(index.resolveSibling(index.getFileName() + ".damaged")));
  }

  @Test
  void shouldKeepALengthThatWasSyncedWhenItsBytesRot() throws VdfsException {
    machine.kill();
    store = machine.start();
    BlockWriter writer = StoreFixture.writer(store, KEY, 0, 20, 2L * BLOCK);
    byte[] longer = Arrays.copyOf(file, LENGTH + 100);
    append(writer, longer, 2 * BLOCK, LENGTH + 50);
    writer.sync();
    append(writer, longer, 2 * BLOCK, LENGTH + 100);
    writer.checkpoint();
    Optional<BlockLocation> last = store.locate(KEY, 2);
    machine.kill();
    machine.disk().flip(data, last.orElseThrow().position() * 8);
    store = machine.start();
    assertEquals(LENGTH + 100L, store.group(KEY, 0).length());
    assertCode(ErrorCode.CORRUPT, () -> StoreFixture.read(store, KEY, 2, 0, 1));
    assertTrue(store.report().problems().toString().contains("bytes differ"));
  }
}
