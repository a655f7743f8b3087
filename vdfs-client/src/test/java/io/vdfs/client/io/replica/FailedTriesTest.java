package io.vdfs.client.io.replica;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import org.junit.jupiter.api.Test;

class FailedTriesTest {
  private static final long MEMORY = 1_000;
  private static final NodeId NODE = NodeId.random();
  private static final ReplicaNode LIVE = node(true);
  private static final ReplicaNode DEAD = node(false);

  private long now = Long.MAX_VALUE - 50;
  private final FailedTries tries = new FailedTries(MEMORY, () -> now);

  private static ReplicaNode node(boolean live) {
    return new ReplicaNode(NODE, new DataAddress("127.0.0.1", 1), live, false);
  }

  @Test
  void shouldCountForThreeTimesAsLongAsTheTryTook() {
    tries.failed(NODE, 100);
    now += 299;
    assertTrue(tries.count(LIVE));

    now++;
    assertFalse(tries.count(LIVE));
  }

  @Test
  void shouldNotCountWhereANodeThatIsCalledLiveRefusedAtOnce() {
    tries.failed(NODE, 0);

    assertFalse(tries.count(LIVE));
    assertTrue(tries.count(DEAD));
  }

  @Test
  void shouldForgetAfterTheLongestTime() {
    tries.failed(NODE, 100_000);
    now += MEMORY - 1;
    assertTrue(tries.count(LIVE));
    assertTrue(tries.count(DEAD));

    now++;
    assertFalse(tries.count(LIVE));
    assertFalse(tries.count(DEAD));
  }

  @Test
  void shouldForgetOnceATrySucceeds() {
    tries.failed(NODE, 100);
    tries.succeeded(NODE);

    assertFalse(tries.count(LIVE));
    assertFalse(tries.count(DEAD));
  }
}
