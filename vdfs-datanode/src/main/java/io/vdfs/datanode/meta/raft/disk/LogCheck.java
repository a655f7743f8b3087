package io.vdfs.datanode.meta.raft.disk;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.ratis.util.MD5FileUtil;

/**
 * Looks at the files of a member's group before Ratis opens them. Changes nothing. Stateless; one
 * thread per directory.
 *
 * <p>Entries are forced at most {@link #UNFORCED_ENTRIES} after they are written, and before they
 * are acknowledged. So a loss of power damages at most that many entries at the end of the last
 * file, in any order, as pages go to disk in any order: a <em>torn end</em>. What lies before them
 * was forced, and is damaged by rot only.
 */
public final class LogCheck {
  /** Most entries that are written before they are forced. */
  public static final int UNFORCED_ENTRIES = 128;

  private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
  private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");
  private static final Pattern SNAPSHOT = Pattern.compile("snapshot\\.(\\d+)_(\\d+)");
  private static final String VOTE = "raft-meta";
  private static final String CONFIGURATION = "raft-meta.conf";

  /** The finding of a check. */
  sealed interface Finding permits Sound, Overtaken, Torn, Damaged {}

  /** Nothing is damaged, or nothing is there. */
  record Sound() implements Finding {}

  /**
   * Nothing is damaged, but all entries are older than the snapshot, and the last file stands open
   * for more. A member leaves that behind above all if it is killed when a leader's snapshot is in
   * its place and the entries that it replaces are not gone yet.
   *
   * @param first index by the file's name
   * @param last newest entry
   */
  record Overtaken(Path file, long first, long last) implements Finding {}

  /**
   * The last file has a torn end.
   *
   * @param first index by the file's name
   * @param last newest entry before the damage
   * @param soundBytes of the file, which are to be kept
   * @param reached newest entry that the file held for sure
   * @param members number of members as far as known; -1 where it is not
   */
  record Torn(Path file, long first, TermIndex last, int soundBytes, TermIndex reached, int members)
      implements Finding {}

  /**
   * Anything else is damaged.
   *
   * @param what for messages
   * @param reached newest entry that the log held for sure
   */
  record Damaged(String what, TermIndex reached, int members) implements Finding {}

  /**
   * A member's term, and the candidate that it voted for in it.
   *
   * @param votedFor as Ratis writes it; empty for none
   */
  public record Vote(long term, String votedFor) {}

  private record Segment(Path file, long first, long end) {
    static final long NO_END = Long.MAX_VALUE;

    boolean isOpen() {
      return end == NO_END;
    }
  }

  private final Path current;
  private final Path snapshots;
  private TermIndex reached = TermIndex.INITIAL_VALUE;
  private int members = -1;

  private LogCheck(Path storage) {
    this.current = storage.resolve(RatisFiles.CURRENT);
    this.snapshots = storage.resolve(RatisFiles.SNAPSHOTS);
  }

  /**
   * @param storage the group's directory, which need not exist
   * @throws IOException if something can't be read; that need not be damage
   */
  static Finding of(Path storage) throws IOException {
    return new LogCheck(storage).check();
  }

  private Finding check() throws IOException {
    if (isEmpty(current)) {
      return new Sound();
    }
    members = configured().orElse(-1);
    List<Segment> segments = segments();
    Optional<TermIndex> snapshot = snapshot();
    snapshot.ifPresent(this::reach);
    Finding log = log(segments, snapshot.map(TermIndex::getIndex).orElse(-1L));
    Optional<Vote> vote = vote(current.resolve(VOTE));
    if (vote.isEmpty()) {
      return damaged("term and vote cannot be read: file=" + current.resolve(VOTE));
    }
    if (snapshot.isPresent() && !isSound(snapshot.get())) {
      return damaged("a snapshot differs from its digest: file=" + file(snapshot.get()));
    }
    return log;
  }

  private static boolean isEmpty(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return true;
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }

  private Damaged damaged(String what) {
    return new Damaged(what, reached, members);
  }

  private void reach(TermIndex entry) {
    boolean any = entry.getTerm() > 0;
    if (any && entry.getIndex() > reached.getIndex()) {
      reached = entry;
    }
  }

  private Finding log(List<Segment> segments, long snapshot) throws IOException {
    Finding finding = new Sound();
    long next = -1;
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      boolean gap = i == 0 ? segment.first() > snapshot + 1 : segment.first() != next;
      SegmentScan scan = SegmentScan.of(Files.readAllBytes(segment.file()), segment.first());
      reach(scan.last());
      reach(scan.behind());
      members = scan.members() >= 0 ? scan.members() : members;
      boolean last = i == segments.size() - 1;
      boolean whole =
          !scan.damaged() && (segment.isOpen() || scan.last().getIndex() == segment.end());
      next = scan.last().getIndex() + 1;
      if (finding instanceof Damaged || (whole && !gap && (last || !segment.isOpen()))) {
        continue;
      }
      finding =
          last && !gap && isTorn(segment, scan)
              ? torn(segment, scan)
              : damaged("an entry cannot be read or is missing: file=" + segment.file());
    }
    if (finding instanceof Sound && !segments.isEmpty()) {
      Segment last = segments.get(segments.size() - 1);
      boolean hasEntries = next > last.first();
      return last.isOpen() && hasEntries && next <= snapshot
          ? new Overtaken(last.file(), last.first(), next - 1)
          : finding;
    }
    return finding instanceof Damaged found ? damaged(found.what()) : finding;
  }

  private static boolean isTorn(Segment segment, SegmentScan scan) {
    long newest = scan.behind().getIndex();
    if (!segment.isOpen()) {
      newest = Math.max(newest, segment.end());
    }
    return newest - scan.last().getIndex() <= UNFORCED_ENTRIES;
  }

  private Torn torn(Segment segment, SegmentScan scan) {
    if (!segment.isOpen()) {
      reach(TermIndex.valueOf(scan.last().getTerm(), segment.end()));
    }
    return new Torn(
        segment.file(), segment.first(), scan.last(), scan.soundBytes(), reached, members);
  }

  private List<Segment> segments() throws IOException {
    List<Segment> segments = new ArrayList<>();
    for (Path file : list(current)) {
      String name = file.getFileName().toString();
      Matcher closed = CLOSED.matcher(name);
      Matcher open = OPEN.matcher(name);
      if (closed.matches()) {
        segments.add(
            new Segment(file, Long.parseLong(closed.group(1)), Long.parseLong(closed.group(2))));
      } else if (open.matches()) {
        segments.add(new Segment(file, Long.parseLong(open.group(1)), Segment.NO_END));
      }
    }
    segments.sort(Comparator.comparingLong(Segment::first).thenComparingLong(Segment::end));
    return segments;
  }

  private static List<Path> list(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** The one that Ratis would load. */
  private Optional<TermIndex> snapshot() throws IOException {
    List<TermIndex> all = new ArrayList<>();
    for (Path file : list(snapshots)) {
      Matcher matcher = SNAPSHOT.matcher(file.getFileName().toString());
      if (matcher.matches()) {
        all.add(
            TermIndex.valueOf(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))));
      }
    }
    all.sort(Collections.reverseOrder(Comparator.comparingLong(TermIndex::getIndex)));
    for (TermIndex snapshot : all) {
      if (Files.exists(MD5FileUtil.getDigestFileForFile(file(snapshot).toFile()).toPath())) {
        return Optional.of(snapshot);
      }
    }
    return all.stream().findFirst();
  }

  private Path file(TermIndex snapshot) {
    return snapshots.resolve("snapshot." + snapshot.getTerm() + "_" + snapshot.getIndex());
  }

  private boolean isSound(TermIndex snapshot) throws IOException {
    MD5Hash written;
    try {
      written = MD5FileUtil.readStoredMd5ForFile(file(snapshot).toFile());
    } catch (IOException | RuntimeException e) {
      return false;
    }
    return MD5FileUtil.computeMd5ForFile(file(snapshot).toFile()).equals(written);
  }

  /** Empty where it can't be read. */
  public static Optional<Vote> vote(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Properties properties = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      properties.load(in);
      long term = Long.parseLong(properties.getProperty("term", ""));
      String votedFor = properties.getProperty("votedFor");
      return term < 0 || votedFor == null
          ? Optional.empty()
          : Optional.of(new Vote(term, votedFor));
    } catch (CharacterCodingException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Optional<Integer> configured() throws IOException {
    Path file = current.resolve(CONFIGURATION);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          LogEntryProto.parseFrom(Files.readAllBytes(file))
              .getConfigurationEntry()
              .getPeersCount());
    } catch (InvalidProtocolBufferException e) {
      return Optional.empty();
    }
  }
}
