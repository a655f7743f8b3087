package io.vdfs.datanode.meta.op.change;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.MetaContext;

/** A mutation of the metadata. Stateless and deterministic. */
public interface Operation {
  /**
   * Decides what {@code request} does and adds it to {@code changes}; changes nothing itself.
   *
   * @param request comes from anyone: each field may hold anything
   * @param changes of a refused request are dropped
   * @return the response, given that the changes are replayed
   * @throws VdfsException the refusal
   */
  MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException;
}
