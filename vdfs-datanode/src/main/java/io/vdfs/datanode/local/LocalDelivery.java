package io.vdfs.datanode.local;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.status.FailedVolume;
import io.vdfs.datanode.store.volume.VolumeDirectory;
import io.vdfs.datanode.stream.BlockWarmer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Local delivery of a node: its sessions and the directories of their names, with a few threads of
 * its own, so that no reader waits for writers' disk work. These threads never wait for a disk
 * either: work that has to runs on a thread of its volume. Thread-safe.
 */
public final class LocalDelivery implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalDelivery.class);
  private static final int THREADS = 4;

  private final LocalSession.Source source;
  private final Counters<LocalCounter> counters;
  private final LocalAccount account;
  private final Set<LocalSession> sessions = ConcurrentHashMap.newKeySet();
  private final LocalThreads threads = new LocalThreads("vdfs-local", THREADS);

  private LocalDelivery(LocalSession.Source source, Counters<LocalCounter> counters) {
    this.source = source;
    this.counters = counters;
    this.account = new LocalAccount(counters);
  }

  /**
   * Removes the names that an earlier run left; blocks on the disks. A volume whose filesystem has
   * no hard links or permissions is read over the socket only.
   *
   * @param directories the store's configured volumes, in its order, with its locks held; those
   *     that failed are left alone
   */
  public static LocalDelivery open(
      BlockStore store, ClusterGeometry geometry, List<Path> directories, BlockWarmer warmer) {
    return open(store, geometry, directories, warmer, Files::createLink);
  }

  static LocalDelivery open(
      BlockStore store,
      ClusterGeometry geometry,
      List<Path> directories,
      BlockWarmer warmer,
      LinkDirectory.HardLinks hardLinks) {
    Counters<LocalCounter> counters = new Counters<>(LocalCounter.class);
    SecureRandom random = new SecureRandom();
    List<Optional<LinkDirectory>> volumes = new ArrayList<>();
    Set<Path> failed =
        store.report().failedVolumes().stream()
            .map(FailedVolume::directory)
            .collect(Collectors.toSet());
    for (Path directory : directories) {
      volumes.add(
          failed.contains(directory)
              ? Optional.empty()
              : linksOf(directory, hardLinks, random, counters));
    }
    return new LocalDelivery(
        new LocalSession.Source(store, geometry, warmer, List.copyOf(volumes)), counters);
  }

  private static Optional<LinkDirectory> linksOf(
      Path volume,
      LinkDirectory.HardLinks hardLinks,
      SecureRandom random,
      Counters<LocalCounter> counters) {
    try {
      return Optional.of(
          LinkDirectory.open(
              volume, VolumeDirectory.blocksOf(volume), hardLinks, random, counters));
    } catch (IOException | UnsupportedOperationException e) {
      LOG.warn("no local delivery from this volume: directory={}, cause={}", volume, e.toString());
      return Optional.empty();
    }
  }

  public Counters<LocalCounter> counters() {
    return counters;
  }

  /** Begins to serve a process on this machine; its end closes the session. Never blocks. */
  LocalSession open() {
    LocalSession session = new LocalSession(source, account, sessions::remove);
    sessions.add(session);
    return session;
  }

  /**
   * Takes all names of a file back, so that its space becomes free; call after its deletion. Never
   * blocks.
   */
  public void onDeleted(FileKey file) {
    sessions.forEach(session -> session.forget(file));
  }

  /**
   * Runs a step of a session; steps are not ordered. Never blocks.
   *
   * @param step waits for no disk
   * @return false if there are too many or local delivery is closed; nothing runs then
   */
  boolean execute(Runnable step) {
    boolean taken = threads.execute(step);
    counters.add(LocalCounter.STEPS_REJECTED, taken ? 0 : 1);
    return taken;
  }

  /** Ends all sessions and waits until their names are gone, but not for disks that hang. */
  @Override
  public void close() {
    if (!threads.end()) {
      LOG.warn("local delivery goes on after closing");
    }
    sessions.forEach(LocalSession::close);
    source.links().forEach(volume -> volume.ifPresent(LinkDirectory::close));
  }
}
