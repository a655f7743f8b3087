package io.vdfs.datanode.meta.query;

import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.HeldFileProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.state.GroupLengths;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;

/** The answer to a node about a file of which it holds something, or should. */
final class HeldFile {
  private HeldFile() {}

  static HeldFileProto of(InodeRecord file, MetaContext context) {
    FileRecord content = file.getFile();
    return HeldFileProto.newBuilder()
        .setFile(Inodes.key(file))
        .setLength(GroupLengths.of(file, context.settings().geometry()).length())
        .setReplication(content.getReplication())
        .setWriteEpoch(content.getWriteEpoch())
        .setOpen(Inodes.isOpen(file))
        .addAllExclusions(content.getExclusionsList())
        .addAllGroupChecksums(GroupLengths.checksums(file, context.settings().geometry()))
        .build();
  }
}
