package io.vdfs.client.files;

import com.google.protobuf.ByteString;
import io.vdfs.client.meta.LeaseRenewer;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.names.Names;
import io.vdfs.client.place.BlockPlace;
import io.vdfs.client.place.BlockPlaces;
import io.vdfs.client.place.FileCopies;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AppendOp;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.OpenQuery;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The bytes of files: opens them for reading and writing, tells where they lie and what their
 * checksums are. Paths and failures as {@link Names} has them. Thread-safe.
 */
public final class Files {
  private final MetadataCalls metadata;
  private final ClusterAccess cluster;
  private final ContentAccess content;
  private final LeaseRenewer leases;

  /**
   * All of one cluster and in the name of one user.
   *
   * @param leases renews those of files that are open for writing
   */
  public Files(
      MetadataCalls metadata, ClusterAccess cluster, ContentAccess content, LeaseRenewer leases) {
    this.metadata = metadata;
    this.cluster = cluster;
    this.content = content;
    this.leases = leases;
  }

  /**
   * Creates a file and opens it for writing. It can be seen at once, with length 0. Overwriting
   * also replaces a file that is being written; its writer's next call to the metadata service
   * fails with NOT_FOUND.
   *
   * @throws VdfsException ALREADY_EXISTS, IS_A_DIRECTORY, LEASE_CONFLICT if another writer has it
   *     and it is not to be overwritten
   */
  public ContentWriter create(String path, CreateOptions options) throws IOException {
    CreateOp operation =
        CreateOp.newBuilder()
            .setPath(path)
            .setMode(options.mode())
            .setUnmaskedMode(options.unmaskedMode())
            .setOverwrite(options.overwrite())
            .setCreateParents(options.createParents())
            .setReplication(options.replication())
            .setBlockSize(options.blockSize())
            .setHolder(holder())
            .build();
    return openForWriting(MetaRequest.newBuilder().setCreate(operation).build());
  }

  /** Opens an existing file for writing at its end. */
  public ContentWriter append(String path) throws IOException {
    AppendOp operation = AppendOp.newBuilder().setPath(path).setHolder(holder()).build();
    return openForWriting(MetaRequest.newBuilder().setAppend(operation).build());
  }

  private ByteString holder() {
    return WireIds.encode(leases.holder());
  }

  private ContentWriter openForWriting(MetaRequest request) throws IOException {
    leases.fileOpened();
    boolean opened = false;
    try {
      OpenFileResult file = metadata.call(request).getOpenFile();
      FileInfo info = new FileInfo(file.getStatus());
      ContentWriter writer = content.writer(info, file.getTicket(), leases);
      opened = true;
      ContentWriter bounded =
          file.hasSpaceLeft() ? new QuotaWriter(writer, info, file.getSpaceLeft()) : writer;
      return new LeasedWriter(bounded, leases, file.getFileId());
    } finally {
      if (!opened) {
        leases.fileClosed();
      }
    }
  }

  /**
   * Opens a file for reading. What is read stays this content, also after a rename or an overwrite
   * of the path, until the content is removed.
   */
  public OpenedFile open(String path) throws IOException {
    OpenQuery query = OpenQuery.newBuilder().setPath(path).build();
    return open(openInfo(query));
  }

  /** Opens what an earlier opening found, without asking the metadata service. */
  public OpenedFile open(FileInfo info) throws IOException {
    return new OpenedFile(info, content.reader(info));
  }

  /**
   * What an opening for reading finds, for {@link #open(FileInfo)}.
   *
   * @param fileId names the file whatever path it has now
   */
  public FileInfo openInfo(long fileId) throws IOException {
    return openInfo(OpenQuery.newBuilder().setFileId(fileId).build());
  }

  private FileInfo openInfo(OpenQuery query) throws IOException {
    MetaRequest request = MetaRequest.newBuilder().setOpen(query).build();
    return new FileInfo(metadata.call(request).getOpenFile().getStatus());
  }

  /**
   * Where the groups touched by [start, start + length) lie, cut to the file's length. Computed
   * from the ring map; asks no node unless the map is old.
   */
  public List<BlockPlace> placesByGroup(FileInfo file, long start, long length) throws IOException {
    return BlockPlaces.byGroup(cluster.current(), file, start, length);
  }

  /** As {@link #placesByGroup}, for each block on its own. */
  public List<BlockPlace> placesByBlock(FileInfo file, long start, long length) throws IOException {
    return BlockPlaces.byBlock(cluster.current(), file, start, length);
  }

  /**
   * How many copies of the file's groups are on record, by the ring map as last heard of.
   *
   * @param file as a status or a listing has it
   */
  public FileCopies copies(FileInfo file) throws IOException {
    return FileCopies.of(cluster.current(), file);
  }

  /**
   * CRC32C of the first {@code length} bytes of a file, which doesn't depend on how the bytes are
   * cut into blocks and chunks. Of a whole file that is closed it comes from the checksums of the
   * replicas; otherwise the bytes are read.
   *
   * @param length at most the file's
   */
  public int checksum(FileInfo file, long length) throws IOException {
    if (length < 0 || length > file.length()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a checksum covers bytes of the file: file=%s, asked=%s, length=%s"
              .formatted(file.key(), length, file.length()));
    }
    return length == file.length() && !file.mayGoOn()
        ? content.checksum(file)
        : PrefixChecksum.of(content.reader(file), length);
  }

  /**
   * CRC32C of each part of a range of a closed file, made by the nodes that hold it.
   *
   * @param file as an opening returned it
   * @param start on the border of a part, counted from the start of the file
   * @return big-endian, one after the other; empty where parts of that size have to be read
   */
  public Optional<byte[]> partChecksums(FileInfo file, long start, long length, int partBytes)
      throws IOException {
    return content.partChecksums(file, start, length, partBytes);
  }
}
