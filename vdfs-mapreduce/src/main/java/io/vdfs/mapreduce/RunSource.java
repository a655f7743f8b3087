package io.vdfs.mapreduce;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.CloseTaskResult;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import java.io.IOException;

/** The ledger as a task uses it. All calls may be repeated. Implementations are thread-safe. */
interface RunSource {
  NextRunResult next(NextRunOp next) throws IOException;

  CloseTaskResult closeTask(CloseTaskOp close) throws IOException;

  /** How many blocks of a stream no task owns. */
  long remainingBlocks(ByteString streamId) throws IOException;
}
