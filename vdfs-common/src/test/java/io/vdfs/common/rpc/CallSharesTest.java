package io.vdfs.common.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import org.junit.jupiter.api.Test;

class CallSharesTest {
  private static final long GIBIBYTE = 1L << 30;

  private final CallShares shares = new CallShares(new CallLimits(2, 100, 4, 1_000, 1));

  @Test
  void shouldKeepAUserToItsShareAndLetOthersIn() throws VdfsException {
    shares.enter("mallory", false, 10);
    shares.enter("mallory", false, 10);
    assertRefused("mallory", 10, "calls=3, limit=2");
    shares.enter("alice", false, 100);
    assertRefused("alice", 1, "bytes=101, limit=100");
    shares.leave("mallory", false, 10);
    shares.enter("mallory", false, 90);
  }

  @Test
  void shouldGiveNodesNoShareButThatOfAll() throws VdfsException {
    for (int n = 0; n < 4; n++) {
      shares.enter("daemon", true, 200);
    }
    assertRefused("daemon", 1, "calls=5, limit=4");
    assertRefused("alice", 1, "all users");
    shares.leave("daemon", true, 200);
    assertRefused("daemon", 401, "bytes=1001, limit=1000");
    shares.enter("alice", false, 1);
  }

  @Test
  void shouldKeepWhatConnectionsAnnounceWithinAQuarterOfTheHeap() {
    CallLimits limits = CallLimits.within(GIBIBYTE, 1_000_000, 2_000);
    assertTrue((long) limits.connections() * CallLimits.MAX_CALL_BYTES <= GIBIBYTE / 4);
    assertTrue(limits.connections() > 900, "room for the containers of a default daemon");
    assertEquals(GIBIBYTE / 8, limits.bytes());
    assertEquals(1_024, CallLimits.within(8 * GIBIBYTE, 4_096, 2_000).connections());
  }

  private void assertRefused(String user, int bytes, String message) {
    VdfsException refusal =
        assertThrows(
            VdfsException.class, () -> shares.enter(user, user.equals("daemon"), bytes), message);
    assertEquals(ErrorCode.UNAVAILABLE, refusal.code());
    assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
  }
}
