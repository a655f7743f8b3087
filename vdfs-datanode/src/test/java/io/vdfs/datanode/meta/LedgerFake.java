package io.vdfs.datanode.meta;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Remembers the times at which it was asked to change something. */
final class LedgerFake implements LedgerHost {
  private final List<Long> times = new ArrayList<>();

  List<Long> times() {
    return List.copyOf(times);
  }

  @Override
  public MetaResponse apply(MetaRequest request, MetadataSettings settings) {
    times.add(request.getTimeMillis());
    return query(request);
  }

  @Override
  public MetaResponse query(MetaRequest request) {
    return MetaResponse.newBuilder().setLedger(LedgerResponse.getDefaultInstance()).build();
  }

  @Override
  public void save(RecordSink sink) throws IOException {
    for (long time : times) {
      sink.accept(ByteString.copyFromUtf8(Long.toString(time)));
    }
  }

  @Override
  public void clear() {
    times.clear();
  }

  @Override
  public void load(ByteString record) {
    times.add(Long.parseLong(record.toStringUtf8()));
  }
}
