package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.ReviewFilesQuery;
import io.vdfs.common.wire.proto.ReviewFilesResult;
import io.vdfs.datanode.meta.query.page.Page;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Namespace;
import java.util.Optional;

/**
 * Says what became of files that a node holds. A file is gone if its number was given away and it
 * does not exist, or exists as a later generation. While a loss of metadata is open no file is
 * gone: the lost metadata may have known it.
 */
final class ReviewFiles implements Query {
  private static final int MOST = 1000;

  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    context.access().requireSuperuser("review of files by their keys");
    ReviewFilesQuery query = request.getReviewFiles();
    if (query.getFilesCount() > MOST) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "so many files cannot be reviewed at once: files=%d, most=%d"
              .formatted(query.getFilesCount(), MOST));
    }
    Namespace namespace = context.namespace();
    RingMap ring = Page.recordedRing(context);
    ReviewFilesResult.Builder result =
        ReviewFilesResult.newBuilder()
            .setRingEpoch(ring.epoch())
            .setLossOpen(namespace.isLossOpen());
    if (query.getKnownRingEpoch() != ring.epoch()) {
      result.setRing(RingCodec.toProto(ring));
    }
    for (FileKeyProto key : query.getFilesList()) {
      Optional<InodeRecord> file = namespace.find(key.getFileId()).filter(InodeRecord::hasFile);
      if (file.isPresent() && Inodes.key(file.get()).equals(key)) {
        if (namespace.isAttached(file.get())) {
          result.addFiles(HeldFile.of(file.get(), context));
        }
      } else if (!namespace.isLossOpen() && wasThere(key, file, namespace)) {
        result.addGone(key);
      }
    }
    return MetaResponse.newBuilder().setReviewFiles(result).build();
  }

  private static boolean wasThere(
      FileKeyProto key, Optional<InodeRecord> now, Namespace namespace) {
    if (now.isPresent()) {
      return key.getGeneration() < now.get().getFile().getGeneration();
    }
    return !InodeIds.isDirectory(key.getFileId())
        && InodeIds.number(key.getFileId()) <= namespace.lastFileNumber();
  }
}
