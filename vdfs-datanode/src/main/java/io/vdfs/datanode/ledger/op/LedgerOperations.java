package io.vdfs.datanode.ledger.op;

import io.vdfs.common.wire.proto.LedgerRequest.OpCase;
import io.vdfs.datanode.ledger.draw.StealPolicy;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Finds the operation for a request. Immutable. */
public final class LedgerOperations {
  private final Map<OpCase, LedgerOperation> byCase = new EnumMap<>(OpCase.class);

  /**
   * @param stealPolicy the same on all replicas
   */
  public LedgerOperations(StealPolicy stealPolicy) {
    byCase.put(OpCase.CREATE_CHUNK, new CreateStreamChunkOperation());
    byCase.put(OpCase.SEAL, new SealStreamOperation());
    byCase.put(OpCase.NEXT, new NextRunOperation(stealPolicy));
    byCase.put(OpCase.CLOSE_TASK, new CloseTaskOperation());
    byCase.put(OpCase.RENEW, new RenewStreamOperation());
    byCase.put(OpCase.RELEASE, new ReleaseStreamOperation());
    byCase.put(OpCase.EXPIRE, new ExpireStreamsOperation());
  }

  public Optional<LedgerOperation> find(OpCase request) {
    return Optional.ofNullable(byCase.get(request));
  }
}
