package io.vdfs.datanode.meta.raft.disk;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.LogDoubt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a log that Ratis would refuse, or not get on with, one that it opens, before it does.
 * Nothing is deleted, but for entries that a snapshot has, which Ratis purges: what is taken away
 * goes to {@value #ASIDE} in the member's directory. Before that the member notes that its log may
 * lack what it acknowledged, so that no crash forgets it. Confined to the thread that starts the
 * member.
 */
public final class LogRepair {
  private static final Logger LOG = LoggerFactory.getLogger(LogRepair.class);

  /** What was taken away, under the names it had. */
  public static final String ASIDE = "aside";

  private static final String EMPTY_STORAGE = "vdfs-empty-storage";
  private static final String VOTE = "raft-meta";

  private final MemberDirectory directory;
  private final UUID group;
  private final Path storage;
  private final Counters<GroupCounter> counters;

  public LogRepair(MemberDirectory directory, UUID group, Counters<GroupCounter> counters) {
    this.directory = directory;
    this.group = group;
    this.storage = directory.storage(group);
    this.counters = counters;
  }

  /**
   * Prepares the log.
   *
   * @param founding whether the group begins with this member where it holds nothing
   * @return why the log may lack entries that this member acknowledged; empty where it lacks none
   * @throws VdfsException CORRUPT where the damaged log is that of a group's only member, which has
   *     no other member to learn from
   */
  public Optional<DoubtNote> prepare(boolean founding) throws IOException {
    Optional<DoubtNote> before = directory.doubt();
    if (before.isPresent() && before.get().cause() == LogDoubt.EMPTIED) {
      restoreVote(before.get()); // in case of a crash in between
    } else if (!Files.exists(storage) && !founding && !directory.isInvited()) {
      LOG.warn(
          "metadata directory is empty: this member has no vote before it has caught up:"
              + " directory={}",
          directory.path());
      directory.noteDoubt(DoubtNote.GONE);
      return directory.doubt();
    }
    LogCheck.Finding found = LogCheck.of(storage);
    if (found instanceof LogCheck.Damaged damaged) {
      putAside(damaged);
    } else {
      makeGoOn(found, before);
    }
    return directory.doubt();
  }

  /**
   * Prepares a log that is to be recovered.
   *
   * @throws VdfsException CORRUPT where more than its end is damaged, or it was put aside before
   */
  public void prepareToRecover() throws IOException {
    Optional<DoubtNote> before = directory.doubt();
    if (before.isPresent() && before.get().cause() == LogDoubt.EMPTIED) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "this member lost its log and has not caught up since: directory=%s, put aside=[%s]; run"
                  .formatted(directory.path(), before.get().aside())
              + " the command on another member");
    }
    LogCheck.Finding found = LogCheck.of(storage);
    if (found instanceof LogCheck.Damaged damaged) {
      throw new VdfsException(
          ErrorCode.CORRUPT, "the log is damaged: directory=" + storage + ", " + damaged.what());
    }
    makeGoOn(found, before);
  }

  private void makeGoOn(LogCheck.Finding found, Optional<DoubtNote> before) throws IOException {
    LogCheck.Finding left = found;
    if (found instanceof LogCheck.Torn torn) {
      cut(torn, before);
      left = LogCheck.of(storage);
    }
    if (left instanceof LogCheck.Overtaken overtaken) {
      close(overtaken);
    }
  }

  /**
   * Lets Ratis purge the file. One that is open it goes on with, and fails: the entries that come
   * after the snapshot do not come after those that the file has.
   */
  private void close(LogCheck.Overtaken overtaken) throws IOException {
    Path file = overtaken.file();
    Path closed = file.resolveSibling(closedName(overtaken.first(), overtaken.last()));
    DiskForce.REAL.names(storage); // the snapshot is there before the entries go
    Files.move(file, closed, StandardCopyOption.ATOMIC_MOVE);
    DiskForce.REAL.names(file.getParent());
    counters.increment(GroupCounter.OVERTAKEN_LOGS);
    LOG.info("log ends before the snapshot, and is purged: file={}", closed);
  }

  private static String closedName(long first, long last) {
    return "log_" + first + "-" + last;
  }

  private void cut(LogCheck.Torn torn, Optional<DoubtNote> before) throws IOException {
    Path file = torn.file();
    Path aside = aside(file.getFileName() + "-from-" + torn.soundBytes());
    copyTail(file, torn.soundBytes(), aside);
    LogDoubt cause = before.map(DoubtNote::cause).orElse(LogDoubt.TORN);
    directory.noteDoubt(new DoubtNote(cause, torn.reached(), name(aside)));
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(torn.soundBytes());
      channel.force(true);
    }
    rename(torn);
    counters.increment(GroupCounter.TORN_LOGS);
    if (torn.members() == 1) {
      LOG.error(
          "torn end of the log of the group's only member was cut off; what was acknowledged behind"
              + " entry {} is lost, if the disk had forced it: file={}, cut={}",
          torn.last().getIndex(),
          file,
          aside);
    } else {
      LOG.warn(
          "torn end of the log was cut off; this member has no vote before it has caught up:"
              + " file={}, last={}, reached={}, cut={}",
          file,
          torn.last(),
          torn.reached(),
          aside);
    }
  }

  /** The name of a file that gets no more entries says where it ends. */
  private static void rename(LogCheck.Torn torn) throws IOException {
    Path file = torn.file();
    boolean empty = torn.last().getIndex() < torn.first();
    if (file.getFileName().toString().equals("log_inprogress_" + torn.first())) {
      return; // Ratis removes one without entries
    }
    Path renamed =
        file.resolveSibling(
            empty
                ? "log_inprogress_" + torn.first()
                : closedName(torn.first(), torn.last().getIndex()));
    Files.move(file, renamed, StandardCopyOption.ATOMIC_MOVE);
    DiskForce.REAL.names(file.getParent());
  }

  private static void copyTail(Path file, int from, Path to) throws IOException {
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ);
        FileChannel out =
            FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      long position = from;
      while (position < in.size()) {
        position += in.transferTo(position, in.size() - position, out);
      }
      out.force(true);
    }
    DiskForce.REAL.names(to.getParent());
  }

  private void putAside(LogCheck.Damaged damaged) throws IOException {
    if (damaged.members() == 1) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "the log of the group's only member is damaged, and nobody else has it: directory=%s, %s;"
                  .formatted(storage, damaged.what())
              + " bring back a copy of the directory");
    }
    Path aside = aside(group.toString());
    directory.noteDoubt(new DoubtNote(LogDoubt.EMPTIED, damaged.reached(), name(aside)));
    Files.move(storage, aside, StandardCopyOption.ATOMIC_MOVE);
    DiskForce.REAL.names(aside.getParent());
    DiskForce.REAL.names(directory.data());
    restoreVote(directory.doubt().orElseThrow());
    counters.increment(GroupCounter.DAMAGED_LOGS);
    LOG.error(
        "damaged log was put aside; this member starts empty and has no vote before it has caught"
            + " up: {}, reached={}, aside={}",
        damaged.what(),
        damaged.reached(),
        aside);
  }

  /**
   * Gives a log that was put aside a successor without entries, but with the member's term and
   * vote: it still belongs to no older leader and votes once in a term.
   */
  private void restoreVote(DoubtNote doubt) throws IOException {
    if (Files.exists(storage) || doubt.aside().isEmpty()) {
      return;
    }
    Path old =
        directory
            .path()
            .resolve(ASIDE)
            .resolve(doubt.aside())
            .resolve(RatisFiles.CURRENT)
            .resolve(VOTE);
    LogCheck.Vote vote =
        LogCheck.vote(old).orElse(new LogCheck.Vote(doubt.reached().getTerm(), ""));
    Path draft = directory.path().resolve(EMPTY_STORAGE);
    Path current = Files.createDirectories(draft.resolve(RatisFiles.CURRENT));
    Files.createDirectories(draft.resolve(RatisFiles.SNAPSHOTS));
    write(current.resolve(VOTE), "term=%d\nvotedFor=%s\n".formatted(vote.term(), vote.votedFor()));
    DiskForce.REAL.names(current);
    DiskForce.REAL.names(draft);
    Files.move(draft, storage, StandardCopyOption.ATOMIC_MOVE);
    DiskForce.REAL.names(directory.data());
  }

  private static void write(Path file, String text) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /** A name that is free, in a directory that is there after a crash. */
  private Path aside(String name) throws IOException {
    Path parent = Files.createDirectories(directory.path().resolve(ASIDE));
    DiskForce.REAL.names(directory.path());
    Path free = parent.resolve(name);
    for (int i = 2; Files.exists(free); i++) {
      free = parent.resolve(name + "-" + i);
    }
    return free;
  }

  private static String name(Path path) {
    return path.getFileName().toString();
  }
}
