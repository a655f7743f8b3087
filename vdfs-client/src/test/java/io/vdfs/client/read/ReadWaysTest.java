package io.vdfs.client.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.vdfs.client.io.TestCluster;
import io.vdfs.common.model.NodeId;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadWaysTest {
  private TestCluster cluster;
  private ReadWays ways;
  private long now = 5;

  @BeforeEach
  void setUp() throws IOException {
    cluster = new TestCluster(3, 2);
    ways = new ReadWays(cluster.io, cluster.metadata.view(), () -> now);
  }

  @AfterEach
  void tearDown() throws Exception {
    cluster.close();
  }

  private NodeId first() {
    return ways.to(0).get(0).node().id();
  }

  @Test
  void shouldFindThoseToAGroupOnce() {
    List<ReadWay> found = ways.to(0);
    now += ReadWays.AGE_NANOS - 1;

    assertSame(found, ways.to(0));
    assertEquals(ReadWay.of(cluster.io, ways.view(), 0), found);
  }

  @Test
  void shouldFindThoseToEachGroup() {
    assertEquals(ReadWay.of(cluster.io, ways.view(), 0), ways.to(0));
    assertEquals(ReadWay.of(cluster.io, ways.view(), 1), ways.to(1));
    assertNotEquals(ways.to(0), ways.to(1));
  }

  @Test
  void shouldFindThemAnewAfterASecond() {
    List<ReadWay> found = ways.to(0);
    now += ReadWays.AGE_NANOS;

    assertNotSame(found, ways.to(0));
  }

  @Test
  void shouldTurnFromANodeThatFailedMeanwhile() {
    NodeId failed = first();
    cluster.io.health().failed(failed);

    assertNotEquals(failed, first());
  }

  @Test
  void shouldFindThemAnewAfterADeliveryWasOfNoUse() {
    List<ReadWay> found = ways.to(0);
    cluster.io.doubts().failed(first());

    assertNotSame(found, ways.to(0));
  }

  @Test
  void shouldFollowTheRing() {
    NodeId moved = first();
    cluster.moveLast(cluster.node(moved));

    assertNotEquals(moved, first());
  }
}
