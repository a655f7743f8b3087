package io.vdfs.datanode.meta;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.io.IOException;

/**
 * The ledgers as a part of the replicated state: deterministic, and confined to the metadata loop.
 */
public interface LedgerHost {
  /** Takes the records of a snapshot. */
  @FunctionalInterface
  interface RecordSink {
    void accept(ByteString record) throws IOException;
  }

  /**
   * Executes a mutation; {@code time_millis} never falls from one call to the next. A refusal is a
   * response with an error.
   *
   * @param settings the same on every replica
   */
  MetaResponse apply(MetaRequest request, MetadataSettings settings);

  /** Answers a query and changes nothing. */
  MetaResponse query(MetaRequest request);

  /** Writes all ledgers; the same ledgers always as the same records. */
  void save(RecordSink sink) throws IOException;

  /** Forgets all ledgers, before others are loaded. */
  void clear();

  /**
   * Takes one record of a snapshot, in the order in which they were written.
   *
   * @throws VdfsException CORRUPT
   */
  void load(ByteString record) throws VdfsException;
}
