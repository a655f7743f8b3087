package io.vdfs.datanode.hadoop;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.rpc.request.Callers;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hadoop's own emptier on a real namespace. */
class TrashEmptierTest {
  private static final String ALICE_TRASH = "/user/alice/.Trash";
  private static final String BOB_TRASH = "/user/bob/.Trash";

  private final MetadataHarness names = new MetadataHarness();
  private final Callers callers = new Callers("vdfs", "supergroup", user -> List.of());
  private final Configuration configuration = new Configuration(false);
  private final AtomicInteger questions = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private volatile boolean leads = true;

  private final LeaderAccess leader =
      new LeaderAccess() {
        @Override
        public boolean leads() {
          questions.incrementAndGet();
          return leads;
        }

        @Override
        public CompletableFuture<MetaResponse> call(MetaRequest request, CallerProto caller) {
          synchronized (names) {
            MetaRequest.Builder asked =
                request.toBuilder().setCaller(caller).setTimeMillis(System.currentTimeMillis());
            calls.incrementAndGet();
            boolean query = request.hasGetStatus() || request.hasList();
            MetaResponse response = query ? names.state().query(asked.build()) : names.apply(asked);
            if (request.hasDelete() && response.hasError()) {
              refused.incrementAndGet();
            }
            return CompletableFuture.completedFuture(response);
          }
        }
      };

  private final TrashFileSystem files = new TrashFileSystem(configuration, leader, callers);

  @BeforeEach
  void deleteSomething() {
    configuration.setFloat(CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_KEY, 1);
    for (CallerProto user : List.of(MetadataHarness.ALICE, MetadataHarness.BOB)) {
      names.as(MetadataHarness.ROOT);
      String home = "/user/" + user.getUser();
      names.ok(names.mkdirs(home, 0777));
      names.as(user);
      names.ok(names.mkdirs(home + "/.Trash/Current/old", 0755));
    }
  }

  private boolean exists(String path) {
    synchronized (names) {
      MetaRequest.Builder status = names.as(MetadataHarness.ROOT).request();
      status.getGetStatusBuilder().setPath(path);
      return !names.state().query(status.build()).hasError();
    }
  }

  private int inTrash(String trash) throws IOException {
    synchronized (names) {
      return files.listStatus(new Path(trash)).length;
    }
  }

  /** In periods of 600 ms: what is there is set aside in one, and gone in the next. */
  private TrashEmptier start() {
    configuration.setFloat(CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_KEY, 0.01f);
    configuration.setFloat(CommonConfigurationKeysPublic.FS_TRASH_CHECKPOINT_INTERVAL_KEY, 0.01f);
    return TrashEmptier.start(configuration, leader, callers);
  }

  @Test
  void shouldEmptyTheTrashOfEveryUserOnceThisNodeLeads() throws Exception {
    leads = false;
    TrashEmptier emptier = start();
    try {
      int asked = questions.get();
      awaitThat(() -> questions.get() > asked);
      assertTrue(exists(ALICE_TRASH + "/Current/old"));
      assertTrue(exists(BOB_TRASH + "/Current/old"));
      assertEquals(0, calls.get());
      leads = true;
      awaitThat(() -> inTrash(ALICE_TRASH) == 0 && inTrash(BOB_TRASH) == 0);
    } finally {
      emptier.close();
    }
  }

  @Test
  void shouldDeleteNothingThatTheOwnerCouldNot() throws Exception {
    names.as(MetadataHarness.ROOT);
    names.ok(names.mkdirs(BOB_TRASH + "/Current/of-root/inside", 0700));
    TrashEmptier emptier = start();
    try {
      awaitThat(() -> refused.get() > 0 && inTrash(ALICE_TRASH) == 0);
      String aside = files.listStatus(new Path(BOB_TRASH))[0].getPath().getName();
      assertTrue(exists(BOB_TRASH + "/" + aside + "/of-root/inside"));
    } finally {
      emptier.close();
    }
  }

  @Test
  void shouldTellWholeMinutes() {
    assertEquals(1, TrashEmptier.intervalMinutes(configuration));
    configuration.setFloat(CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_KEY, 0.01f);
    assertEquals(1, TrashEmptier.intervalMinutes(configuration));
    configuration.setFloat(CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_KEY, 0);
    assertEquals(0, TrashEmptier.intervalMinutes(configuration));
    configuration.setFloat(CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_KEY, -5);
    assertEquals(0, TrashEmptier.intervalMinutes(configuration));
  }
}
