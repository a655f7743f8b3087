package io.vdfs.datanode.store.load;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskRefusalException;
import io.vdfs.datanode.store.status.FailedVolume;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.Volume;
import io.vdfs.datanode.store.volume.VolumeDirectory;
import io.vdfs.datanode.store.volume.VolumeIdentity;
import io.vdfs.datanode.store.volume.VolumeRoster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The volumes of a node as they are found at start: those that serve, and those that don't with the
 * reason. A directory becomes a new volume only if nothing that the node had is missing, or if the
 * operator said so. Confined to the thread that opens the store.
 */
final class VolumeSet {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeSet.class);

  private final StoreContext context;
  private final Disk disk;
  private final List<Volume> serving = new ArrayList<>();
  private final List<FailedVolume> failed = new ArrayList<>();
  private Map<UUID, Path> places = Map.of();

  private VolumeSet(StoreContext context) {
    this.context = context;
    this.disk = context.disk();
  }

  /** The kind of contents of a directory. */
  private enum Kind {
    VOLUME,
    EMPTY,
    OTHER
  }

  private record Finding(int number, Path directory, Kind kind, Optional<UUID> volume) {}

  /**
   * Takes possession of all volumes that can be used.
   *
   * @throws VdfsException MISCONFIGURED if none can, or if one is not this node's
   */
  static VolumeSet open(StoreContext context) throws VdfsException {
    VolumeSet set = new VolumeSet(context);
    boolean opened = false;
    try {
      set.openAll();
      opened = true;
      return set;
    } finally {
      if (!opened) {
        set.close();
      }
    }
  }

  /** Numbered by their places among the configured ones. */
  List<Volume> serving() {
    return List.copyOf(serving);
  }

  List<FailedVolume> failed() {
    return List.copyOf(failed);
  }

  /** Volumes that the node had and that do not serve, and where each is or was last. */
  Map<UUID, Path> unserved() {
    Map<UUID, Path> unserved = new TreeMap<>(places);
    serving.forEach(volume -> unserved.remove(volume.uuid()));
    return unserved;
  }

  private void openAll() throws VdfsException {
    checkAccepted();
    List<Finding> found = findAll();
    Map<UUID, Path> known = known(found);
    found.forEach(finding -> finding.volume().ifPresent(known::remove));
    forgetGivenUp(known, found);
    Map<UUID, Path> missing = known;
    for (Finding finding : found) {
      Optional<String> refusal = refusal(finding, found, missing);
      if (refusal.isPresent()) {
        fail(finding.directory(), refusal.get());
      } else {
        take(finding);
      }
    }
    requireOne();
    writeRoster(found, missing);
    requireOne();
  }

  private void forgetGivenUp(Map<UUID, Path> missing, List<Finding> found) {
    if (missing.isEmpty()) {
      return;
    }
    boolean anyEmpty =
        found.stream().anyMatch(other -> other.kind() == Kind.EMPTY && !isAccepted(other));
    Set<UUID> givenUp =
        context.config().accepted().volumes().among(Set.copyOf(missing.keySet()), anyEmpty);
    for (UUID volume : givenUp) {
      LOG.warn("a volume was given up: volume={}, last at={}", volume, missing.get(volume));
    }
    missing.keySet().removeAll(givenUp);
  }

  private void checkAccepted() throws VdfsException {
    Set<Path> unknown = new HashSet<>(context.config().accepted().directories());
    unknown.removeAll(context.config().volumes());
    if (!unknown.isEmpty()) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("no data directories of this node: accepted as empty=%s, configured=%s; name"
                  + " configured ones")
              .formatted(unknown, context.config().volumes()));
    }
  }

  private List<Finding> findAll() throws VdfsException {
    List<Finding> found = new ArrayList<>();
    List<Path> directories = context.config().volumes();
    for (int number = 0; number < directories.size(); number++) {
      Path directory = directories.get(number);
      try {
        found.add(find(number, directory));
      } catch (IOException e) {
        fail(directory, unusable(directory, e));
      }
    }
    return found;
  }

  private Finding find(int number, Path directory) throws IOException {
    Optional<VolumeIdentity> identity = VolumeDirectory.identity(disk, directory);
    if (identity.isPresent()) {
      return new Finding(number, directory, Kind.VOLUME, identity.map(VolumeIdentity::volume));
    }
    boolean empty = VolumeDirectory.foreignIn(disk, directory).isEmpty();
    return new Finding(number, directory, empty ? Kind.EMPTY : Kind.OTHER, Optional.empty());
  }

  private static String unusable(Path directory, IOException cause) {
    return cause instanceof VdfsException known
        ? known.getMessage()
        : VolumeDirectory.unusable(directory, cause).getMessage();
  }

  /** All volumes that those found know of. */
  private Map<UUID, Path> known(List<Finding> found) {
    Map<UUID, Path> known = new HashMap<>();
    for (Finding finding : found) {
      if (finding.kind() == Kind.VOLUME) {
        try {
          VolumeRoster.read(disk, finding.directory())
              .ifPresent(roster -> known.putAll(roster.places()));
        } catch (IOException e) {
          LOG.warn("one volume does not say which others there are", e);
        }
      }
    }
    return known;
  }

  /** Why a directory can't be used, if it can't. */
  private Optional<String> refusal(Finding finding, List<Finding> found, Map<UUID, Path> missing) {
    if (finding.kind() == Kind.VOLUME || isAccepted(finding)) {
      return Optional.empty();
    }
    Path directory = finding.directory();
    Map<UUID, Path> here = missingAt(directory, missing);
    if (here.isEmpty() && finding.kind() == Kind.OTHER) {
      return Optional.empty(); // refused when it is taken
    }
    Map<UUID, Path> lost = here.isEmpty() ? missingAnywhere(missing) : here;
    if (!lost.isEmpty()) {
      return Optional.of(missed(directory, lost));
    }
    boolean knowsItself = found.stream().anyMatch(other -> other.kind() == Kind.VOLUME);
    return knowsItself || found.size() == context.config().volumes().size()
        ? Optional.empty()
        : Optional.of(
            "data directory is empty, and of the others none can be read that says which node"
                + " this is: directory="
                + directory
                + "; repair them, or take them out of vdfs.data.dirs");
  }

  private boolean isAccepted(Finding finding) {
    return finding.kind() == Kind.EMPTY
        && context.config().accepted().directories().contains(finding.directory());
  }

  private String missed(Path directory, Map<UUID, Path> lost) {
    return ("data directory is empty or has other files, and a volume of this node is missing:"
            + " directory=%s, missing and last at=%s; mount the disk; or, if it is lost, say"
            + " 'vdfs node volume add %s %s' on a node that lives and start again, or start once"
            + " with --accept-empty %s: either lets an empty directory become a new volume")
        .formatted(
            directory,
            lost,
            context.config().node(),
            lost.keySet().stream().map(UUID::toString).collect(Collectors.joining(" ")),
            directory);
  }

  private static Map<UUID, Path> missingAt(Path directory, Map<UUID, Path> missing) {
    return those(missing, directory.toAbsolutePath()::equals);
  }

  /**
   * Volumes whose directories are no longer configured: their disks may be meant to be at others.
   */
  private Map<UUID, Path> missingAnywhere(Map<UUID, Path> missing) {
    Set<Path> configured =
        context.config().volumes().stream().map(Path::toAbsolutePath).collect(Collectors.toSet());
    return those(missing, place -> !configured.contains(place));
  }

  private static Map<UUID, Path> those(Map<UUID, Path> missing, Predicate<Path> at) {
    Map<UUID, Path> found = new TreeMap<>(missing);
    found.values().removeIf(at.negate());
    return found;
  }

  private void take(Finding finding) throws VdfsException {
    try {
      VolumeDirectory taken =
          VolumeDirectory.take(
              disk, finding.directory(), context.config().cluster(), context.config().node());
      serving.add(new Volume(finding.number(), taken, context));
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      fail(finding.directory(), unusable(finding.directory(), e));
    }
  }

  private void writeRoster(List<Finding> found, Map<UUID, Path> missing) {
    places = places(found, missing);
    VolumeRoster roster = new VolumeRoster(places);
    for (Volume volume : serving()) {
      try {
        if (!isWritten(roster, volume)) {
          roster.write(disk, volume.directory());
        }
      } catch (DiskRefusalException e) {
        LOG.warn("no room to note which volumes there are: directory={}", volume.directory(), e);
      } catch (IOException e) {
        drop(volume, unusable(volume.directory(), e));
      }
    }
  }

  private boolean isWritten(VolumeRoster roster, Volume volume) {
    try {
      return VolumeRoster.read(disk, volume.directory()).equals(Optional.of(roster));
    } catch (IOException e) {
      LOG.warn("the list of volumes is written anew: directory={}", volume.directory(), e);
      return false;
    }
  }

  private Map<UUID, Path> places(List<Finding> found, Map<UUID, Path> missing) {
    Map<UUID, Path> listed = new TreeMap<>();
    Set<Path> taken = new HashSet<>();
    for (Volume volume : serving) {
      Path place = volume.directory().toAbsolutePath();
      listed.put(volume.uuid(), place);
      taken.add(place);
    }
    for (Finding finding : found) {
      finding
          .volume()
          .ifPresent(id -> listed.putIfAbsent(id, finding.directory().toAbsolutePath()));
    }
    boolean forget = found.stream().anyMatch(this::isAccepted);
    Set<Path> configured =
        context.config().volumes().stream().map(Path::toAbsolutePath).collect(Collectors.toSet());
    missing.forEach(
        (id, place) -> {
          if (!taken.contains(place) && (!forget || configured.contains(place))) {
            listed.putIfAbsent(id, place);
          }
        });
    return listed;
  }

  private void fail(Path directory, String why) {
    LOG.warn("volume is not served: {}", why);
    failed.add(new FailedVolume(directory, why));
  }

  /**
   * Goes on without a volume.
   *
   * @throws VdfsException MISCONFIGURED if it was the last one
   */
  void dropOrFail(Volume volume, String why) throws VdfsException {
    drop(volume, why);
    requireOne();
  }

  private void drop(Volume volume, String why) {
    fail(volume.directory(), why);
    serving.remove(volume);
    closeQuietly(volume);
  }

  private void requireOne() throws VdfsException {
    if (serving.isEmpty()) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          failed.stream().map(FailedVolume::why).collect(Collectors.joining("; ")));
    }
  }

  /** Gives all volumes back. */
  void close() {
    serving.forEach(VolumeSet::closeQuietly);
  }

  private static void closeQuietly(Volume volume) {
    try {
      volume.close();
    } catch (VdfsException e) {
      LOG.warn("volume was not given back: directory={}", volume.directory(), e);
    }
  }
}
