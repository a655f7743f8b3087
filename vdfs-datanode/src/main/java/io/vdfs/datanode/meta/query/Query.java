package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.MetaContext;

/** A question to the metadata. Stateless; changes nothing. */
public interface Query {
  /**
   * Answers {@code request}.
   *
   * @param request comes from anyone: each field may hold anything
   * @throws VdfsException the refusal
   */
  MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException;
}
