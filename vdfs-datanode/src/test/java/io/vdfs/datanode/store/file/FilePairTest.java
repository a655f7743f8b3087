package io.vdfs.datanode.store.file;

import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.assertCode;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk.Fault;
import io.vdfs.datanode.store.volume.BlankFiles;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import io.vdfs.datanode.store.volume.Volume;
import io.vdfs.datanode.store.volume.VolumeDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Making a pair of files fails: what was there stays, what was made goes. */
class FilePairTest {
  /** Of a file in another directory. */
  private static final FileKey ELSEWHERE = new FileKey(InodeIds.file(300, 3), 1);

  private final SimulatedDisk disk = new SimulatedDisk();
  private final Refusing refusing = new Refusing(disk);
  private final StoreContext context =
      new StoreContext(StoreFixture.config(ONE_VOLUME), refusing, ThreadingMode.CALLER);
  private Volume volume;

  /** A disk for a process with too many open files. */
  private static final class Refusing extends ForwardingDisk {
    private boolean makes = true;
    private boolean looks = true;

    private Refusing(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile create(Path file) throws IOException {
      check(makes);
      return super.create(file);
    }

    @Override
    public boolean exists(Path path) throws IOException {
      check(looks);
      return super.exists(path);
    }

    private static void check(boolean works) throws IOException {
      if (!works) {
        throw new IOException("Too many open files");
      }
    }
  }

  @BeforeEach
  void openVolume() {
    VolumeDirectory directory =
        new VolumeDirectory(ONE_VOLUME.get(0), new UUID(5, 0), true, () -> {});
    volume = new Volume(0, directory, context);
  }

  /** As of a file that a start did not load. */
  private FilePair pair() {
    return new FilePair(context, volume, KEY, BlockRole.PRIMARY, 0);
  }

  private BlankFiles.Blank blank() {
    volume.requestBlanks();
    volume.writeBack().work();
    return volume.blanks().take(ELSEWHERE, 1).orElseThrow();
  }

  @Test
  void shouldLeaveWhatIsThereWhenFilesCannotBeMade() throws VdfsException {
    pair().create();
    List<Path> there = disk.files();
    assertEquals(2, there.size());

    refusing.makes = false;
    assertCode(ErrorCode.IO_ERROR, pair()::create);
    assertEquals(there, disk.files());

    refusing.makes = true;
    refusing.looks = false;
    assertCode(ErrorCode.IO_ERROR, pair()::create);
    assertEquals(there, disk.files());
  }

  @Test
  void shouldLeaveWhatIsThereWhenABlankFileCannotBeUsed() throws VdfsException {
    pair().create();
    BlankFiles.Blank blank = blank();
    List<Path> there = disk.files();
    refusing.looks = false;

    assertCode(ErrorCode.IO_ERROR, () -> pair().createIn(blank));

    assertEquals(there, disk.files());
  }

  @Test
  void shouldTakeAwayWhatItMade() {
    for (int step = 0; step < 4; step++) {
      disk.planNext(step, Fault.FULL);
      assertCode(ErrorCode.NO_SPACE, pair()::create);
      assertEquals(step + 1, disk.fired());
      assertEquals(List.of(), disk.files());
    }
  }

  @Test
  void shouldTakeAwayABlankFileThatItCouldNotUse() {
    for (int step = 0; step < 2; step++) {
      BlankFiles.Blank blank = blank();
      assertTrue(disk.files().containsAll(List.of(blank.data(), blank.index())));
      disk.planNext(step, Fault.FULL);
      assertCode(ErrorCode.NO_SPACE, () -> pair().createIn(blank));
      assertEquals(step + 1, disk.fired());
      assertTrue(disk.files().stream().noneMatch(List.of(blank.data(), blank.index())::contains));
    }
  }
}
