package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.FileExistsResult;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;

/**
 * Whether a file exists, even if only in a deleted tree that waits to be reclaimed: its own
 * deletion is still to come then.
 */
final class FileExists implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    context.access().requireSuperuser("question for a file by its key");
    FileKeyProto key = request.getFileExists().getFile();
    boolean exists =
        context
            .namespace()
            .find(key.getFileId())
            .filter(inode -> inode.hasFile() && Inodes.key(inode).equals(key))
            .isPresent();
    return MetaResponse.newBuilder()
        .setFileExists(FileExistsResult.newBuilder().setExists(exists))
        .build();
  }
}
