package io.vdfs.datanode.meta.op.copies;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.CopiedGroupProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LiftExclusionsOp;
import io.vdfs.common.wire.proto.LiftExclusionsResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.GroupLengths;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Counts those copies of a node again that it has made and read back. A whole group never changes;
 * one that is not whole counts only if the file is as it was when the copy began. What changed
 * meanwhile is passed over.
 */
final class LiftExclusionsOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    LiftExclusionsOp op = request.getLiftExclusions();
    Repairs.requireNode(op.getNode(), op.getCopiedCount(), context);
    changes.countOnly();
    Map<Long, InodeRecord> changed = new LinkedHashMap<>();
    int lifted = 0;
    for (CopiedGroupProto copied : op.getCopiedList()) {
      Optional<InodeRecord> file = Repairs.find(copied.getGroup().getFile(), context);
      if (file.isEmpty() || !isWhatItShouldBe(copied, file.get(), context)) {
        continue;
      }
      InodeRecord before = changed.getOrDefault(file.get().getId(), file.get());
      InodeRecord after = without(op.getNode(), copied.getGroup().getGroup(), before);
      if (!after.equals(before)) {
        changed.put(after.getId(), after);
        lifted++;
      }
    }
    changed.values().forEach(changes::putRelieved);
    return MetaResponse.newBuilder()
        .setLiftExclusions(LiftExclusionsResult.newBuilder().setLifted(lifted))
        .build();
  }

  private static boolean isWhatItShouldBe(
      CopiedGroupProto copied, InodeRecord file, MetaContext context) {
    int group = copied.getGroup().getGroup();
    GroupLengths lengths = GroupLengths.of(file, context.settings().geometry());
    if (group < 0 || group >= lengths.groups() || copied.getLength() != lengths.of(group)) {
      return false;
    }
    boolean whole = copied.getLength() == context.settings().geometry().groupSize();
    return whole || copied.getWriteEpoch() == file.getFile().getWriteEpoch();
  }

  private static InodeRecord without(ByteString node, int group, InodeRecord file) {
    Exclusions old = new Exclusions(file.getFile().getExclusionsList());
    return Repairs.withExclusions(file, old.without(node, group));
  }
}
