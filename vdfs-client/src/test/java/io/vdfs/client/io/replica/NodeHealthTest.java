package io.vdfs.client.io.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NodeHealthTest {
  private static final NodeId NODE = new NodeId(new UUID(1, 2));
  private static final NodeId OTHER = new NodeId(new UUID(1, 3));

  private long now = 5;
  private final AtomicLong failures = new AtomicLong();
  private final NodeHealth health = new NodeHealth(100, () -> now, failures);

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

  @Test
  void shouldCountEachFailure() {
    health.failed(NODE);
    health.failed(NODE);
    health.failed(OTHER);

    assertEquals(3, failures.get());
  }
}
