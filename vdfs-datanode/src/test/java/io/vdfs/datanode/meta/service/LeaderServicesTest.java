package io.vdfs.datanode.meta.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.FlushedLengthProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LeaseRecord;
import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RecoverLeaseCall;
import io.vdfs.common.wire.proto.RenewLeaseCall;
import io.vdfs.common.wire.proto.WaitingRecoveriesResult;
import io.vdfs.datanode.meta.ring.RingPatience;
import io.vdfs.datanode.meta.service.ring.RingFigures;
import io.vdfs.datanode.meta.service.ring.RingKeeping;
import io.vdfs.datanode.meta.state.FlushedLengths;
import io.vdfs.datanode.meta.state.LeaseHolder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeaderServicesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(4096, 4, 1024, 8);

  private final ManualLoop loop = new ManualLoop();
  private final FakeReplicas replicas = new FakeReplicas(GEOMETRY);
  private final FakeMetadata metadata = new FakeMetadata();
  private final FlushedLengths flushed = new FlushedLengths();
  private final LeaderServices services =
      new LeaderServices(
          new LeaderSurroundings(
              replicas,
              () -> Optional.of(LeaseRecoveryTest.ring()),
              GEOMETRY,
              LeaseSettings.DEFAULT,
              flushed,
              new RingKeeping(
                  Optional::empty, Set::of, 3, RingPatience.DEFAULT, new RingFigures())),
          loop);

  @BeforeEach
  void lead() {
    for (int node = 1; node <= 3; node++) {
      replicas.hold(LeaseRecoveryTest.node(node), 0, 1000);
    }
    services.attach(metadata);
    services.onLeader(1);
    loop.run();
  }

  private static CallerProto user(String name, String... groups) {
    return CallerProto.newBuilder().setUser(name).addAllGroups(List.of(groups)).build();
  }

  private RenewLeaseCall renewal(FlushedLengthProto... files) {
    return RenewLeaseCall.newBuilder()
        .setHolder(metadata.holder)
        .addAllFlushed(List.of(files))
        .build();
  }

  private static FlushedLengthProto flushed(long fileId, long length) {
    return FlushedLengthProto.newBuilder().setFileId(fileId).setLength(length).build();
  }

  private InodeRecord fileOf(ByteString holder) {
    return InodeRecord.newBuilder()
        .setId(9 << 8)
        .setFile(
            FileRecord.newBuilder()
                .setLength(5)
                .setLease(LeaseRecord.newBuilder().setHolder(holder).setUser("ann")))
        .build();
  }

  @Test
  void shouldKnowHowMuchIsFlushedWhileItLeads() {
    assertTrue(services.renewLease(renewal(flushed(9 << 8, 70)), user("ann")).join().hasEmpty());
    loop.run();
    assertEquals(70, flushed.of(fileOf(metadata.holder)));
    assertTrue(services.renewLease(renewal(flushed(9 << 8, 80)), user("ann")).join().hasEmpty());
    loop.run();
    assertEquals(80, flushed.of(fileOf(metadata.holder)));

    services.onFollower();
    loop.run();
    assertEquals(5, flushed.of(fileOf(metadata.holder)));
  }

  @Test
  void shouldForgetWhatAHolderWithoutFilesHasFlushed() {
    assertTrue(services.renewLease(renewal(flushed(9 << 8, 70)), user("ann")).join().hasEmpty());
    loop.run();
    metadata.open = false;
    loop.advance(Duration.ofSeconds(60));
    assertEquals(5, flushed.of(fileOf(metadata.holder)));
  }

  /** A user who reads a holder's id somewhere does not keep its files open. */
  @Test
  void shouldNotBelieveTheRenewalOfAnotherUser() {
    for (int i = 0; i < 20; i++) {
      assertTrue(services.renewLease(renewal(flushed(9 << 8, 70)), user("eve")).join().hasEmpty());
      loop.advance(Duration.ofSeconds(20));
      assertEquals(5, flushed.of(fileOf(metadata.holder)));
    }
    assertFalse(metadata.open);
  }

  @Test
  void shouldRefuseAHolderThatIsNone() {
    for (int size : List.of(0, 15, 17, 4 << 20)) {
      RenewLeaseCall call =
          RenewLeaseCall.newBuilder().setHolder(ByteString.copyFrom(new byte[size])).build();
      MetaResponse refused = services.renewLease(call, user("ann")).join();
      assertEquals("INVALID_ARGUMENT", refused.getError().getCode());
    }
  }

  @Test
  void shouldKeepNothingOfHoldersWithoutALease() {
    for (int i = 0; i < 100; i++) {
      ByteString holder =
          ByteString.copyFrom(new byte[15]).concat(ByteString.copyFrom(new byte[] {(byte) i}));
      RenewLeaseCall call =
          RenewLeaseCall.newBuilder().setHolder(holder).addFlushed(flushed(9 << 8, 70)).build();
      assertTrue(services.renewLease(call, user("ann")).join().hasEmpty());
      loop.run();
      assertEquals(5, flushed.of(fileOf(holder)));
    }
  }

  @Test
  void shouldRefuseARenewalOfTooManyFiles() {
    RenewLeaseCall.Builder call = RenewLeaseCall.newBuilder().setHolder(metadata.holder);
    for (int file = 0; file <= 4096; file++) {
      call.addFlushed(flushed(file, 1));
    }
    MetaResponse refused = services.renewLease(call.build(), user("ann")).join();
    assertEquals("INVALID_ARGUMENT", refused.getError().getCode());
  }

  private static RecoverLeaseCall call(String path) {
    return RecoverLeaseCall.newBuilder().setPath(path).build();
  }

  private MetaResponse recoverLease(String path, CallerProto caller) {
    CompletableFuture<MetaResponse> answer = services.recoverLease(call(path), caller);
    loop.run();
    return answer.join();
  }

  @Test
  void shouldRecoverAFileWhoseWriterIsSilentBeyondTheHardLimit() {
    loop.advance(Duration.ofSeconds(299));
    assertTrue(metadata.open);
    loop.advance(Duration.ofSeconds(10));
    assertFalse(metadata.open);
    assertEquals(1000, metadata.finished.getLength());
  }

  @Test
  void shouldLeaveAWriterAloneThatRenews() {
    for (int i = 0; i < 50; i++) {
      loop.advance(Duration.ofSeconds(20));
      assertTrue(services.renewLease(renewal(), user("ann")).join().hasEmpty());
    }
    assertTrue(metadata.open);
    loop.advance(Duration.ofSeconds(310));
    assertFalse(metadata.open);
  }

  @Test
  void shouldTakeNoWriterForDeadWhenItBeginsToLead() {
    loop.advance(Duration.ofSeconds(290));
    services.onFollower();
    loop.advance(Duration.ofHours(1));
    assertTrue(metadata.open, "recovered without leading");
    services.onLeader(2);
    loop.advance(Duration.ofSeconds(290));
    assertTrue(metadata.open);
    loop.advance(Duration.ofSeconds(20));
    assertFalse(metadata.open);
  }

  @Test
  void shouldGoOnWithARecoveryThatAnEarlierLeaderLeft() {
    metadata.recovering = true;
    loop.advance(Duration.ofSeconds(6));
    assertFalse(metadata.open);
  }

  @Test
  void shouldTryAgainUntilAReplicaAnswers() {
    metadata.recovering = true;
    for (int node = 1; node <= 3; node++) {
      replicas.dead.add(LeaseRecoveryTest.node(node));
    }
    loop.advance(Duration.ofSeconds(60));
    assertTrue(metadata.open);
    replicas.dead.clear();
    loop.advance(Duration.ofSeconds(6));
    assertFalse(metadata.open);
  }

  @Test
  void shouldHandOverAFileAfterTheSoftLimitOnly() {
    loop.advance(Duration.ofSeconds(30));
    services.onLeaseConflict(FakeMetadata.PATH);
    loop.run();
    assertTrue(metadata.open);
    loop.advance(Duration.ofSeconds(35));
    assertTrue(metadata.open, "nobody asked for it");
    services.onLeaseConflict("/elsewhere");
    loop.run();
    assertTrue(metadata.open);
    services.onLeaseConflict(FakeMetadata.PATH);
    loop.run();
    assertFalse(metadata.open);
  }

  @Test
  void shouldCountAnyRequestOfAWriterAsASignOfLife() {
    loop.advance(Duration.ofSeconds(55));
    services.onSignOfLife(new LeaseHolder(metadata.holder, "ann"));
    services.onSignOfLife(new LeaseHolder(ByteString.copyFromUtf8("somebody else..."), "ann"));
    loop.advance(Duration.ofSeconds(55));
    services.onLeaseConflict(FakeMetadata.PATH);
    loop.run();
    assertTrue(metadata.open);
  }

  @Test
  void shouldRecoverOnDemandAtOnce() {
    MetaResponse response = recoverLease(FakeMetadata.PATH, user("ann"));
    assertTrue(response.getRecoverLease().getClosed(), response::toString);
    assertFalse(metadata.open);
    long begun = metadata.count(OpCase.BEGIN_RECOVERY);
    assertTrue(recoverLease(FakeMetadata.PATH, user("ann")).getRecoverLease().getClosed());
    assertEquals(begun, metadata.count(OpCase.BEGIN_RECOVERY));
  }

  @Test
  void shouldSayThatARecoveryIsStillRunning() {
    replicas.mute.add(LeaseRecoveryTest.node(1));
    CompletableFuture<MetaResponse> first =
        services.recoverLease(call(FakeMetadata.PATH), user("ann"));
    loop.advance(Duration.ofSeconds(2));
    assertFalse(first.isDone());
    CompletableFuture<MetaResponse> second =
        services.recoverLease(call(FakeMetadata.PATH), user("ann"));
    loop.advance(Duration.ofSeconds(2));
    assertFalse(first.join().getRecoverLease().getClosed());
    loop.advance(Duration.ofSeconds(8));
    assertFalse(second.join().hasError());
    assertFalse(metadata.open);
    assertEquals(1, metadata.count(OpCase.FINISH_RECOVERY));
  }

  private void kill(int... numbers) {
    for (int number : numbers) {
      replicas.dead.add(LeaseRecoveryTest.node(number));
    }
  }

  /** Looks at the fences that a node was sent: one for each attempt. */
  private int attempts() {
    return replicas.fences.getOrDefault(LeaseRecoveryTest.node(1), 0);
  }

  @Test
  void shouldGoOnAskingForTenMinutesAndThenOnceAMinute() {
    metadata.recovering = true;
    kill(2, 3);
    loop.advance(Duration.ofSeconds(590));
    int often = attempts();
    assertTrue(often > 60, "attempts=" + often);
    loop.advance(Duration.ofMinutes(1));
    int before = attempts();
    loop.advance(Duration.ofMinutes(30));
    int seldom = attempts() - before;
    assertTrue(seldom >= 27 && seldom <= 30, "attempts in half an hour=" + seldom);
    assertTrue(metadata.open);
    assertEquals(1, metadata.count(OpCase.BEGIN_RECOVERY), "attempts add no entries");

    replicas.dead.clear();
    loop.advance(Duration.ofSeconds(70));
    assertFalse(metadata.open);
    assertEquals(1000, metadata.finished.getLength());
  }

  @Test
  void shouldAnswerFalseWhileTooFewNodesAnswer() {
    kill(2, 3);
    MetaResponse first = recoverLease(FakeMetadata.PATH, user("ann"));
    assertFalse(first.getRecoverLease().getClosed());
    assertTrue(
        first.getRecoverLease().getFound().contains("too few nodes answer"), first::toString);
    int asked = attempts();
    for (int i = 0; i < 50; i++) {
      assertFalse(recoverLease(FakeMetadata.PATH, user("ann")).getRecoverLease().getClosed());
    }
    assertEquals(asked, attempts(), "who asks again at once is told what was found");
    replicas.dead.clear();
    loop.advance(Duration.ofSeconds(5));
    assertTrue(recoverLease(FakeMetadata.PATH, user("ann")).getRecoverLease().getClosed());
  }

  private MetaResponse accept(CallerProto caller) {
    CompletableFuture<MetaResponse> answer =
        services.recoverLease(call(FakeMetadata.PATH).toBuilder().setAccept(true).build(), caller);
    loop.run();
    return answer.join();
  }

  @Test
  void shouldCloseOnFewerCopiesForASuperuserWhoAcceptsThat() {
    CallerProto root = CallerProto.newBuilder().setUser("root").setSuperuser(true).build();
    kill(2, 3);
    assertFalse(recoverLease(FakeMetadata.PATH, user("ann")).getRecoverLease().getClosed());
    assertEquals(
        ErrorCode.PERMISSION_DENIED,
        WireIds.errorCode(accept(user("ann")).getError()),
        "not for ann");
    kill(1);
    assertFalse(accept(root).getRecoverLease().getClosed(), "never on no answer");
    replicas.dead.remove(LeaseRecoveryTest.node(1));
    MetaResponse closed = accept(root);
    assertTrue(closed.getRecoverLease().getClosed(), closed::toString);
    assertTrue(closed.getRecoverLease().getFound().contains("1000 of 1000 good"), closed::toString);
    assertEquals(1000, metadata.finished.getLength());
  }

  private WaitingRecoveriesResult waiting(CallerProto caller) {
    CompletableFuture<MetaResponse> answer = services.waitingRecoveries(caller);
    loop.run();
    return answer.join().getWaitingRecoveries();
  }

  @Test
  void shouldTellOfFilesThatCannotBeClosed() {
    CallerProto root = CallerProto.newBuilder().setUser("root").setSuperuser(true).build();
    assertEquals(0, waiting(root).getRecoveriesCount());
    kill(2, 3);
    recoverLease(FakeMetadata.PATH, user("ann"));
    loop.advance(Duration.ofSeconds(90));
    WaitingRecoveriesResult told = waiting(root);
    assertEquals(FakeMetadata.PATH, told.getRecoveries(0).getPath());
    assertTrue(told.getRecoveries(0).getReason().contains("too few nodes answer"));
    assertEquals(90_000, told.getRecoveries(0).getWaitingMillis());
    assertEquals(0, waiting(user("ann")).getRecoveriesCount(), "paths are not for everybody");
    assertEquals(1, waiting(user("ann")).getMore());

    replicas.dead.clear();
    loop.advance(Duration.ofSeconds(10));
    assertFalse(metadata.open);
    assertEquals(0, waiting(root).getRecoveriesCount());
  }

  @Test
  void shouldForgetAFileThatWasDeletedWhileItWaited() {
    kill(2, 3);
    recoverLease(FakeMetadata.PATH, user("ann"));
    metadata.open = false;
    loop.advance(Duration.ofSeconds(10));
    assertEquals(0, waiting(user("ann")).getMore());
  }

  @Test
  void shouldForgetNothingWhenItIsNotToldOfTheLeases() {
    assertTrue(services.renewLease(renewal(flushed(9 << 8, 70)), user("ann")).join().hasEmpty());
    kill(2, 3);
    recoverLease(FakeMetadata.PATH, user("ann"));
    long scans = metadata.count(OpCase.LIST_LEASES);
    metadata.unavailable = true;
    loop.advance(LeaseSettings.DEFAULT.scan());
    assertEquals(scans + 1, metadata.count(OpCase.LIST_LEASES));
    metadata.unavailable = false;
    assertEquals(70, flushed.of(fileOf(metadata.holder)));
    assertEquals(1, waiting(user("ann")).getMore());

    replicas.dead.clear();
    loop.advance(LeaseSettings.DEFAULT.scan());
    assertFalse(metadata.open, "scans go on");
    assertEquals(1, metadata.count(OpCase.BEGIN_RECOVERY), "what it had begun was kept");
  }

  @Test
  void shouldGoOnWhenItIsNotToldOfTheLeasesAtAConflict() {
    loop.advance(Duration.ofSeconds(65));
    metadata.unanswered.add(OpCase.LIST_LEASES);
    services.onLeaseConflict(FakeMetadata.PATH);
    loop.run();
    assertTrue(metadata.open);
    metadata.unanswered.clear();
    services.onLeaseConflict(FakeMetadata.PATH);
    loop.run();
    assertFalse(metadata.open);
  }

  @Test
  void shouldRecoverOnlyForUsersWhoMayWrite() {
    assertEquals(
        ErrorCode.PERMISSION_DENIED,
        WireIds.errorCode(recoverLease(FakeMetadata.PATH, user("bob", "staff")).getError()));
    assertEquals(
        ErrorCode.NOT_FOUND, WireIds.errorCode(recoverLease("/none", user("ann")).getError()));
    assertTrue(metadata.open);
    CallerProto root = CallerProto.newBuilder().setUser("root").setSuperuser(true).build();
    assertTrue(recoverLease(FakeMetadata.PATH, root).getRecoverLease().getClosed());
    CallerProto bob = user("bob", "staff");
    assertTrue(recoverLease(FakeMetadata.PATH, bob).getRecoverLease().getClosed(), "closed by now");
  }

  @Test
  void shouldNotServeWhenItDoesNotLead() {
    services.onFollower();
    assertEquals(
        ErrorCode.UNAVAILABLE,
        WireIds.errorCode(recoverLease(FakeMetadata.PATH, user("ann")).getError()));
    assertTrue(metadata.open);
  }

  @Test
  void shouldTakeDeletedTreesApartInStepsAndLogNothingWhenIdle() {
    metadata.pendingTrees = 5;
    loop.advance(Duration.ofSeconds(3));
    assertEquals(0, metadata.pendingTrees);
    assertEquals(5, metadata.count(OpCase.RECLAIM));
    loop.advance(Duration.ofMinutes(4));
    assertEquals(5, metadata.count(OpCase.RECLAIM));
  }

  @Test
  void shouldGoOnWhenTheMetadataWasAway() {
    metadata.unavailable = true;
    loop.advance(Duration.ofSeconds(30));
    metadata.unavailable = false;
    metadata.pendingTrees = 1;
    loop.advance(Duration.ofSeconds(3).plus(SECOND));
    assertEquals(0, metadata.pendingTrees);
  }

  @Test
  void shouldEndForgottenStreamsNowAndThen() {
    loop.advance(Duration.ofMinutes(11));
    assertEquals(12, metadata.count(OpCase.LEDGER));
  }
}
