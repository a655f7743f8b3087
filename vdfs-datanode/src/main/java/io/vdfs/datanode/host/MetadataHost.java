package io.vdfs.datanode.host;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.raft.disk.MemberHome;
import io.vdfs.datanode.rpc.request.MetadataDispatcher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives this node's member of the metadata group a place, while the group wants one here: starts it
 * where the node founded the group, was a member before or is invited by the leader, and ends it
 * where the node was removed. On the leader's node it publishes the members in ZooKeeper. A member
 * that can't start or go on is reported, and started again after a pause; the node does without it
 * meanwhile.
 *
 * <p>Thread-safe. Members start and end on the thread that starts the host, then on its loop.
 */
public final class MetadataHost implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataHost.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  private final MetadataSeat.Surroundings around;
  private final ClusterDirectory directory;
  private final NodeId self;
  private final Path home;
  private final ThreadServiceLoop loop = new ThreadServiceLoop("vdfs-metadata-host");
  private volatile Optional<MetadataSeat> seat = Optional.empty();
  private volatile Optional<String> stopped = Optional.empty();
  private volatile boolean closed;

  /** How many seats there have been; tells news of an earlier seat from news of the present one. */
  private final AtomicLong seatings = new AtomicLong();

  /** The pause before a member that failed is started again; confined as members' starts are. */
  private Duration pause = FIRST_PAUSE;

  private MetadataHost(MetadataSeat.Surroundings around) {
    this.around = around;
    this.directory = around.directory();
    this.self = around.self().id();
    this.home = around.settings().home();
  }

  /** Starts the member that this node has or shall have. */
  public static MetadataHost start(MetadataSeat.Surroundings around, MetadataGroup group) {
    MetadataHost host = new MetadataHost(around);
    host.tryToBegin(group);
    host.loop.schedule(PERIOD, host::look);
    return host;
  }

  private void tryToBegin(MetadataGroup group) {
    stopped = Optional.empty();
    try {
      begin(group);
    } catch (VdfsException | RuntimeException e) {
      onProblem(e);
    }
  }

  /**
   * A member for which this release is too old is not tried again: the release would still be too
   * old.
   */
  private void onProblem(Throwable cause) {
    boolean known = cause instanceof VdfsException;
    boolean lasting = known && ((VdfsException) cause).code() == ErrorCode.UNSUPPORTED;
    String message = known ? cause.getMessage() : cause.toString();
    stopped = Optional.of(message);
    around.metrics().group().increment(GroupCounter.MEMBER_FAILURES);
    LOG.error(
        "The metadata member of this node has ended, its blocks are served on: node={}, tried again"
            + " in={}, {}",
        self,
        lasting ? "never" : pause.toMillis() + " ms",
        message,
        cause);
    if (!lasting) {
      loop.schedule(pause, this::tryAgain);
      Duration longer = pause.multipliedBy(2);
      pause = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
    }
  }

  private void tryAgain() {
    if (seat.isEmpty() && !closed) {
      directory.metadataGroup().ifPresent(this::tryToBegin);
    }
  }

  /** Empty while this node hosts none. */
  public Optional<GroupMember> member() {
    return seat.map(MetadataSeat::member);
  }

  public Optional<MetadataDispatcher> dispatcher() {
    return seat.map(MetadataSeat::dispatcher);
  }

  /** The group of this node's member. */
  public Optional<UUID> groupId() {
    return seat.map(MetadataSeat::groupId);
  }

  /** Why this node's member does not run though the group wants it; empty where it does. */
  public Optional<String> stopped() {
    return stopped;
  }

  /**
   * The cluster as ZooKeeper shows it, with the members as this node's own member has them if that
   * is newer.
   */
  public ClusterSnapshot snapshot() {
    ClusterSnapshot shown = directory.snapshot();
    Optional<MetadataSeat> hosted = seat;
    Optional<MetadataGroup> newer =
        shown.metadataGroup().flatMap(group -> hosted.flatMap(sitting -> newer(group, sitting)));
    return newer.map(shown::withMetadataGroup).orElse(shown);
  }

  private static Optional<MetadataGroup> newer(MetadataGroup shown, MetadataSeat sitting) {
    GroupConfiguration own = sitting.member().status().configuration();
    if (!sitting.groupId().equals(shown.groupId())
        || own.members().isEmpty()
        || own.version() <= shown.version()) {
      return Optional.empty();
    }
    List<MetadataMember> all =
        Stream.concat(own.members().stream(), own.leaving().stream()).toList();
    return Optional.of(shown.withMembers(all, own.version()));
  }

  private void begin(MetadataGroup group) throws VdfsException {
    if (around.diskProblem().isPresent()) {
      return;
    }
    Optional<UUID> known = MemberHome.groupOf(home);
    if (known.isPresent() && group.formerGroups().contains(known.get())) {
      retireHome(group);
      known = Optional.empty();
    }
    if (known.isPresent() || group.hasMember(self)) {
      // a member that lost its directory must not vote as if it had never voted
      boolean founding = group.version() == 0 && group.hasMember(self);
      if (known.isEmpty() && !founding) {
        LOG.warn(
            "This member of a founded metadata group has no log: it waits, without a vote, until a"
                + " leader brings it up to date: directory={}, members={}; where a majority of them"
                + " lost their logs, see docs/operations/failures.md",
            home,
            group.members());
      }
      open(group, founding ? group.members() : List.of());
    }
  }

  private void open(MetadataGroup group, List<MetadataMember> founders) throws VdfsException {
    MetadataMember own =
        group.members().stream()
            .filter(member -> member.id().equals(self))
            .findFirst()
            .orElseGet(() -> MetadataMember.of(around.self()));
    long seating = seatings.incrementAndGet();
    MetadataSeat opened =
        MetadataSeat.start(
            around,
            cause -> loop.execute(() -> onFailure(seating, cause)),
            group.groupId(),
            founders,
            own,
            MemberHome.invitedAt(home));
    stopped = Optional.empty();
    seat = Optional.of(opened);
    if (closed) {
      end(opened);
    }
  }

  /** A member may fail before its start is over. */
  private void onFailure(long seating, Throwable cause) {
    if (seating != seatings.get() || closed) {
      return;
    }
    if (seat.isPresent()) {
      end(seat.get());
      onProblem(cause);
    } else if (stopped.isEmpty()) {
      loop.schedule(PERIOD, () -> onFailure(seating, cause));
    }
  }

  /**
   * Prepares this node for becoming a member.
   *
   * @param version of the members that the leader has now
   * @param level the feature level in force
   * @return fails with a VdfsException: INVALID_ARGUMENT where the group is another, UNSUPPORTED
   *     where this release does not have the level, ALREADY_EXISTS where the node is a member,
   *     MISCONFIGURED where its directory or port can't be used
   */
  public CompletableFuture<Void> invite(UUID groupId, long version, int level) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(
        () -> {
          try {
            accept(groupId, version, level);
            done.complete(null);
          } catch (VdfsException | RuntimeException e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }

  private void accept(UUID groupId, long version, int level) throws VdfsException {
    around.levels().requireReadable("the metadata group", level);
    if (around.diskProblem().isPresent()) {
      throw new VdfsException(ErrorCode.MISCONFIGURED, around.diskProblem().get());
    }
    MetadataGroup group = directory.metadataGroup().orElseThrow();
    if (!group.groupId().equals(groupId)) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "invited into another metadata group: group=%s, known=%s"
              .formatted(groupId, group.groupId()));
    }
    if (seat.isPresent()) {
      GroupStatus status = seat.get().member().status();
      if (status.role() != GroupStatus.Role.ENDED && status.configuration().hasMember(self)) {
        throw new VdfsException(
            ErrorCode.ALREADY_EXISTS,
            "this node is a metadata member already: node=%s, members=%s"
                .formatted(self, status.configuration().members()));
      }
      end(seat.get());
    }
    if (MemberHome.groupOf(home).isPresent()) {
      retireHome(group);
    }
    MemberHome.invite(home, groupId, self, version);
    open(group, List.of());
    LOG.info("Invited into the metadata group: node={}, version={}", self, version);
  }

  /** Publishes the members soon. */
  void onChanged() {
    loop.execute(this::lookOnce);
  }

  private void look() {
    lookOnce();
    loop.schedule(PERIOD, this::look);
  }

  private void lookOnce() {
    Optional<MetadataGroup> group = directory.metadataGroup();
    if (group.isEmpty() || seat.isEmpty() || closed) {
      return;
    }
    try {
      if (isRemoved(group.get(), seat.get())) {
        end(seat.get());
        retireHome(group.get());
      } else if (seat.get().member().status().role() == GroupStatus.Role.ENDED) {
        onFailure(
            seatings.get(),
            new VdfsException(
                ErrorCode.UNAVAILABLE, "the metadata member ended by itself; its log tells why"));
      } else if (seat.get().member().isLeader()) {
        publish(seat.get());
      }
      seat.flatMap(sitting -> sitting.member().leader()).ifPresent(leader -> pause = FIRST_PAUSE);
    } catch (Exception e) {
      LOG.warn(
          "The metadata member is looked after again in {} ms: {}",
          PERIOD.toMillis(),
          directory.failure("look after the metadata member", e).getMessage());
    }
  }

  /** Only a change later than all that this node's member knows of can have removed it. */
  private boolean isRemoved(MetadataGroup group, MetadataSeat sitting) {
    if (group.formerGroups().contains(sitting.groupId())) {
      return true;
    }
    return group.groupId().equals(sitting.groupId())
        && !group.hasMember(self)
        && group.version() > sitting.invitedAt()
        && group.version() >= sitting.member().status().configuration().version();
  }

  private void end(MetadataSeat sitting) {
    seat = Optional.empty();
    sitting.close();
  }

  private void retireHome(MetadataGroup group) throws VdfsException {
    Path aside = MemberHome.retire(home, group.version());
    LOG.info(
        "This node is no metadata member any more: node={}, members={}, its files are in {}",
        self,
        group.members(),
        aside);
  }

  private void publish(MetadataSeat sitting) throws Exception {
    GroupStatus status = sitting.member().status();
    GroupConfiguration own = status.configuration();
    if (!status.isSettled() || !isNews(directory.metadataGroup().orElseThrow(), sitting, own)) {
      return;
    }
    Stat stat = new Stat();
    String path = directory.paths().metadata();
    MetadataGroup shown =
        ClusterCodec.decodeMetadataGroup(
            directory
                .records()
                .open(path, directory.curator().getData().storingStatIn(stat).forPath(path)));
    if (!isNews(shown, sitting, own)) {
      return;
    }
    try {
      byte[] record =
          directory
              .records()
              .seal(path, ClusterCodec.encode(shown.withMembers(own.members(), own.version())));
      directory.curator().setData().withVersion(stat.getVersion()).forPath(path, record);
      LOG.info("Published the metadata members: {}", own);
    } catch (KeeperException.BadVersionException e) {
      LOG.debug("Another leader published the metadata members", e);
    }
  }

  /** A new leader makes a new configuration of the same members, which is no news. */
  private static boolean isNews(MetadataGroup shown, MetadataSeat sitting, GroupConfiguration own) {
    return shown.groupId().equals(sitting.groupId())
        && own.version() > shown.version()
        && (shown.version() == 0 || !ids(shown.members()).equals(ids(own.members())));
  }

  private static Set<NodeId> ids(List<MetadataMember> members) {
    return members.stream().map(MetadataMember::id).collect(Collectors.toSet());
  }

  @Override
  public void close() {
    closed = true;
    loop.close();
    seat.ifPresent(this::end);
  }
}
