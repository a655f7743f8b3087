package io.vdfs.datanode.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.MetaRecord;
import java.io.IOException;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;

class SnapshotWriterTest {
  @Test
  void shouldRefuseARecordThatNoReaderWouldTake() throws IOException {
    SnapshotWriter writer = new SnapshotWriter(OutputStream.nullOutputStream(), 1);
    ByteString bytes = ByteString.copyFrom(new byte[1 << 20]);
    while (bytes.size() < SnapshotDescriptor.MAX_RECORD_BYTES) {
      bytes = bytes.concat(bytes);
    }
    MetaRecord record = MetaRecord.newBuilder().setLedger(bytes).build();
    VdfsException refusal = assertThrows(VdfsException.class, () -> writer.write(record));
    assertEquals(ErrorCode.INTERNAL, refusal.code());
  }
}
