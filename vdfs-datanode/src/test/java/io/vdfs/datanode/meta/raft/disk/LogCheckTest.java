package io.vdfs.datanode.meta.raft.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.group.LogDoubt;
import io.vdfs.datanode.meta.raft.RatisProperties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServerConfigKeys.Read;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.server.storage.RaftStorageImpl;
import org.apache.ratis.server.storage.StorageImplUtils;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.MD5FileUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On logs that Ratis wrote, and as Ratis reads them. */
class LogCheckTest {
  private static final UUID GROUP = new UUID(7, 7);
  private static final int ENTRIES = 10;

  @TempDir Path directory;
  private Path storage;

  @BeforeEach
  void write() throws IOException {
    storage = directory.resolve(GROUP.toString());
    append(0, ENTRIES, 3);
  }

  private void append(int first, int count, long term) throws IOException {
    withLog(
        log -> {
          for (int i = first; i < first + count; i++) {
            log.appendEntry(entry(i, term)).join();
          }
        });
  }

  private interface LogTask {
    void on(RaftLog log) throws IOException;
  }

  private long withLog(LogTask task) throws IOException {
    RaftProperties properties =
        RatisProperties.of(
            directory,
            "localhost",
            1,
            GroupMemberSettings.Tuning.DEFAULT,
            Read.Option.LINEARIZABLE,
            Duration.ZERO);
    RaftStorageImpl opened =
        StorageImplUtils.initRaftStorage(GROUP.toString(), StartupOption.RECOVER, properties);
    try (opened;
        RaftLog log =
            SegmentedRaftLog.newBuilder()
                .setMemberId(
                    RaftGroupMemberId.valueOf(
                        RaftPeerId.valueOf("self"), RaftGroupId.valueOf(GROUP)))
                .setSubmitUpdateCommitEvent(() -> {})
                .setStorage(opened)
                .setSnapshotIndexSupplier(() -> RaftLog.INVALID_LOG_INDEX)
                .setProperties(properties)
                .build()) {
      log.open(RaftLog.INVALID_LOG_INDEX, entry -> {});
      task.on(log);
      return log.getNextIndex() - 1;
    } catch (CompletionException e) {
      throw new IOException(e);
    }
  }

  private static LogEntryProto entry(long index, long term) {
    byte[] data = new byte[40];
    new Random(index).nextBytes(data);
    return LogEntryProto.newBuilder()
        .setTerm(term)
        .setIndex(index)
        .setStateMachineLogEntry(
            StateMachineLogEntryProto.newBuilder().setLogData(ByteString.copyFrom(data)))
        .build();
  }

  private Path open() {
    return storage.resolve("current/log_inprogress_0");
  }

  private LogCheck.Torn torn() throws IOException {
    return assertInstanceOf(LogCheck.Torn.class, LogCheck.of(storage));
  }

  private LogCheck.Damaged damaged() throws IOException {
    return assertInstanceOf(LogCheck.Damaged.class, LogCheck.of(storage));
  }

  /** Entries that are left when the torn end is cut, as Ratis sees them. */
  private long lastAfterCutting(LogCheck.Torn torn) throws IOException {
    byte[] bytes = Files.readAllBytes(torn.file());
    Files.write(torn.file(), Arrays.copyOf(bytes, torn.soundBytes()));
    return withLog(log -> {});
  }

  @Test
  void shouldFindNothingWrongWithWhatRatisWrote() throws IOException {
    assertEquals(new LogCheck.Sound(), LogCheck.of(storage));
    assertEquals(new LogCheck.Sound(), LogCheck.of(directory.resolve("nothing")));
    byte[] sound = Files.readAllBytes(open());
    Files.write(open(), Arrays.copyOf(sound, sound.length + 9_000));
    assertEquals(new LogCheck.Sound(), LogCheck.of(storage), "room made in advance");
    Files.write(open(), Arrays.copyOf(sound, 8));
    assertEquals(new LogCheck.Sound(), LogCheck.of(storage), "no entry yet");
    Files.write(open(), new byte[100]);
    assertEquals(new LogCheck.Sound(), LogCheck.of(storage), "not even a header yet");
  }

  @Test
  void shouldTellWhenTheOpenFileEndsBeforeTheSnapshot() throws IOException {
    snapshot(ENTRIES - 1);
    assertEquals(new LogCheck.Sound(), LogCheck.of(storage), "the next entry follows on both");
    snapshot(ENTRIES);
    assertEquals(new LogCheck.Overtaken(open(), 0, ENTRIES - 1), LogCheck.of(storage));

    byte[] entries = Files.readAllBytes(open());
    Files.write(open(), Arrays.copyOf(entries, 8));
    assertEquals(new LogCheck.Sound(), LogCheck.of(storage), "Ratis removes one without entries");
    Files.write(open(), Arrays.copyOf(entries, entries.length - 5));
    assertEquals(ENTRIES - 2, torn().last().getIndex());
    Files.write(open(), entries);
    Files.move(open(), open().resolveSibling("log_0-" + (ENTRIES - 1)));
    assertEquals(new LogCheck.Sound(), LogCheck.of(storage), "Ratis purges one that is closed");
  }

  private void snapshot(long index) throws IOException {
    Path file = storage.resolve("sm/snapshot.3_" + index);
    Files.createDirectories(file.getParent());
    Files.write(file, new byte[] {1, 2, 3});
    MD5FileUtil.computeAndSaveMd5ForFile(file.toFile());
  }

  /** Every bit of the last two entries and every length; and Ratis opens what is left. */
  @Test
  void shouldCutWhatIsDamagedAtTheEndAndNoMore() throws IOException {
    byte[] sound = Files.readAllBytes(open());
    SegmentScan whole = SegmentScan.of(sound, 0);
    int length = sound.length;
    assertEquals(length, whole.soundBytes());
    assertEquals(TermIndex.valueOf(3, 9), whole.last());
    int entryBytes = (length - 8) / ENTRIES;
    assertTrue(entryBytes > 50 && entryBytes < 70, "entryBytes=" + entryBytes);
    for (int at = length - entryBytes - 5; at < length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] rotten = sound.clone();
        rotten[at] ^= (byte) (1 << bit);
        Files.write(open(), rotten);
        LogCheck.Torn torn = torn();
        boolean inLast = at >= SegmentScan.of(Arrays.copyOf(sound, length - 1), 0).soundBytes();
        assertEquals(inLast ? 8 : 7, torn.last().getIndex(), "at=" + at + ", bit=" + bit);
        assertEquals(inLast ? 8 : 9, torn.reached().getIndex(), "at=" + at + ", bit=" + bit);
      }
    }
    assertEquals(7, lastAfterCuttingAt(sound, length - entryBytes - 5));
    assertEquals(8, lastAfterCuttingAt(sound, length - 2));
  }

  private long lastAfterCuttingAt(byte[] sound, int at) throws IOException {
    byte[] rotten = sound.clone();
    rotten[at] ^= 1;
    Files.write(open(), rotten);
    assertThrows(IOException.class, () -> withLog(log -> {}), "Ratis takes it as it is");
    return lastAfterCutting(torn());
  }

  /** Ratis takes the shorter log for the whole one. */
  @Test
  void shouldNotTakeAFileThatEndsWithinAnEntryForAWholeOne() throws IOException {
    byte[] sound = Files.readAllBytes(open());
    for (int missing = 1; missing < 50; missing++) {
      Files.write(open(), Arrays.copyOf(sound, sound.length - missing));
      assertEquals(8, torn().last().getIndex(), "missing=" + missing);
    }
    assertEquals(8, lastAfterCutting(torn()));
  }

  @Test
  void shouldTellATornEndFromDamageOfWhatWasForced() throws IOException {
    append(ENTRIES, LogCheck.UNFORCED_ENTRIES + 20, 3);
    byte[] sound = Files.readAllBytes(open());
    int total = ENTRIES + LogCheck.UNFORCED_ENTRIES + 20;
    int entryBytes = (sound.length - 8) / total;
    byte[] rotten = sound.clone();
    rotten[8 + 33 * entryBytes] ^= 1;
    Files.write(open(), rotten);
    assertTrue(torn().last().getIndex() >= 29, "within what is forced together");
    assertEquals(total - 1, torn().reached().getIndex());
    rotten = sound.clone();
    rotten[8 + 5 * entryBytes] ^= 1;
    Files.write(open(), rotten);
    assertEquals(total - 1, damaged().reached().getIndex());
    assertTrue(damaged().what().contains(open().toString()), damaged()::what);
    rotten = sound.clone();
    rotten[3] ^= 1;
    Files.write(open(), rotten);
    assertEquals(total - 1, damaged().reached().getIndex(), "the header");
  }

  /** A new term begins a new file. */
  @Test
  void shouldPutAsideALogWhoseClosedFilesAreDamagedOrMissing() throws IOException {
    append(ENTRIES, 5, 4);
    append(ENTRIES + 5, 5, 5);
    Path closed = storage.resolve("current/log_10-14");
    byte[] sound = Files.readAllBytes(closed);
    assertEquals(new LogCheck.Sound(), LogCheck.of(storage));
    byte[] rotten = sound.clone();
    rotten[sound.length - 2] ^= 1;
    Files.write(closed, rotten);
    assertEquals(TermIndex.valueOf(5, 19), damaged().reached());
    Files.delete(closed);
    assertEquals(TermIndex.valueOf(5, 19), damaged().reached());
  }

  /** A kill between cutting and renaming leaves a name that promises more. */
  @Test
  void shouldCutTheLastFileWhenItsNamePromisesMore() throws IOException {
    Path promised = storage.resolve("current/log_0-12");
    Files.move(open(), promised);
    LogCheck.Torn torn = torn();
    assertEquals(9, torn.last().getIndex());
    assertEquals(12, torn.reached().getIndex());
  }

  @Test
  void shouldPutAsideALogWithoutTermAndVote() throws IOException {
    Path vote = storage.resolve("current/raft-meta");
    assertEquals(0, LogCheck.vote(vote).orElseThrow().term());
    Files.writeString(vote, "term=x\n");
    assertEquals(9, damaged().reached().getIndex());
    Files.delete(vote);
    assertEquals(9, damaged().reached().getIndex());
  }

  @Test
  void shouldTakeAnUnreadableNoteForTheWorse() {
    DoubtNote note = new DoubtNote(LogDoubt.TORN, TermIndex.valueOf(3, 9), "log_inprogress_0");
    assertEquals(note, DoubtNote.parse(note.text() + "\n"));
    assertEquals(DoubtNote.GONE, DoubtNote.parse(DoubtNote.GONE.text() + "\n"));
    assertEquals(DoubtNote.GONE, DoubtNote.parse(""));
    assertEquals(
        DoubtNote.GONE, DoubtNote.parse("TORN term=99999999999999999999 index=0 aside=\n"));
  }
}
