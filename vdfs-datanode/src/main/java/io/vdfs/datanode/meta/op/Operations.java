package io.vdfs.datanode.meta.op;

import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.op.attributes.AttributeOperations;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.op.cluster.ClusterOperations;
import io.vdfs.datanode.meta.op.copies.CopyOperations;
import io.vdfs.datanode.meta.op.names.NameOperations;
import io.vdfs.datanode.meta.op.writing.WriteOperations;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Finds the operation for a request. Immutable. */
public final class Operations {
  private final Map<OpCase, Operation> byCase = new EnumMap<>(OpCase.class);

  /**
   * @param levels that can be carried out
   */
  public Operations(FeatureLevels levels) {
    byCase.putAll(NameOperations.all());
    byCase.putAll(AttributeOperations.all());
    byCase.putAll(WriteOperations.all());
    byCase.putAll(CopyOperations.all());
    byCase.putAll(ClusterOperations.all(levels));
  }

  public Optional<Operation> find(OpCase request) {
    return Optional.ofNullable(byCase.get(request));
  }
}
