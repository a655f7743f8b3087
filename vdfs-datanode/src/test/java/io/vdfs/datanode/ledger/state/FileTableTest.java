package io.vdfs.datanode.ledger.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.datanode.ledger.TestStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class FileTableTest {
  private static final StreamFile FILE = new TestStream(1, 1, 1, 1).newFile(25).build();

  private final FileTable files = new FileTable(TestStream.BLOCK_SIZE);

  @Test
  void shouldFindAFileWhereverItIsNamed() {
    files.add(FILE);
    StreamFile.Builder other = FILE.toBuilder().setIndex(1);
    other.getFileBuilder().setFileId(7);
    files.add(other.build());
    files.add(FILE.toBuilder().setIndex(2).build());
    files.add(FILE.toBuilder().setIndex(2).addRanges(TestStream.range(0, 1)).build());
    assertEquals(List.of(0, 2), files.indexes(new FileKey(100, 1), 2));
    assertEquals(List.of(0), files.indexes(new FileKey(100, 1), 1), "the first ones");
    assertEquals(List.of(1), files.indexes(new FileKey(7, 1), Integer.MAX_VALUE));
    assertEquals(List.of(), files.indexes(new FileKey(8, 1), 2));
  }

  @Test
  void shouldGiveBackWhatWasPinnedWithAndWithoutRanges() {
    StreamFile first = FILE.toBuilder().addRanges(TestStream.range(0, 1)).build();
    StreamFile second = FILE.toBuilder().addRanges(TestStream.range(2, 1)).build();
    files.add(first);
    files.add(second);
    assertEquals(first, files.toMessage(0, 0, 1));
    assertEquals(second, files.toMessage(0, 1, 2));
    assertEquals(FILE, files.pinned(0).build());
  }

  @Test
  @Timeout(5)
  void shouldTakeAFileThatIsNamedVeryOften() {
    int times = 100_000;
    for (int index = 0; index < times; index++) {
      files.add(FILE.toBuilder().setIndex(index).build());
    }
    assertEquals(times, files.indexes(new FileKey(100, 1), Integer.MAX_VALUE).size());
  }
}
