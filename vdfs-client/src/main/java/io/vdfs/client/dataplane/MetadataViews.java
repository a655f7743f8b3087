package io.vdfs.client.dataplane;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.client.read.ViewSource;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.OpenQuery;
import java.io.IOException;

/** Looks files up again for readers in trouble, and the ring with them. Thread-safe. */
final class MetadataViews implements ViewSource {
  private final MetadataCalls metadata;
  private final ClusterAccess cluster;

  MetadataViews(MetadataCalls metadata, ClusterAccess cluster) {
    this.metadata = metadata;
    this.cluster = cluster;
  }

  @Override
  public void refreshNodes() throws IOException {
    cluster.refresh(cluster.current());
  }

  @Override
  public FileView refresh(FileKey file) throws IOException {
    refreshNodes();
    OpenQuery query = OpenQuery.newBuilder().setFileId(file.fileId()).build();
    FileView view =
        FileView.of(
            metadata
                .call(MetaRequest.newBuilder().setOpen(query).build())
                .getOpenFile()
                .getStatus());
    if (!view.file().equals(file)) {
      throw new VdfsException(
          ErrorCode.FILE_CHANGED,
          "the file's content was replaced: opened=" + file + ", now=" + view.file());
    }
    return view;
  }
}
