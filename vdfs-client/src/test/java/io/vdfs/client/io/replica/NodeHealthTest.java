package io.vdfs.client.io.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NodeHealthTest {
  private static final NodeId NODE = new NodeId(new UUID(1, 2));
  private static final NodeId OTHER = new NodeId(new UUID(1, 3));

  private long now = 5;
  private final NodeHealth health = new NodeHealth(100, () -> now);

  @Test
  void shouldForgetAFailureAfterAWhile() {
    health.failed(NODE);
    now += 99;
    assertTrue(health.isSuspect(NODE));

    now++;
    assertFalse(health.isSuspect(NODE));
  }

  @Test
  void shouldSuspectMostTheNodeThatFailedLast() {
    health.failed(NODE);
    now += 10;
    health.failed(OTHER);
    now += 10;

    assertTrue(health.suspicion(NODE) < health.suspicion(OTHER));
    assertEquals(0, health.suspicion(new NodeId(new UUID(1, 4))));
  }
}
