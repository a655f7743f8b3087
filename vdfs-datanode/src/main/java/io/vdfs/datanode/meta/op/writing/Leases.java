package io.vdfs.datanode.meta.op.writing;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LeaseRecord;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.QuotaRecord;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.MetaPath;
import io.vdfs.datanode.meta.state.Namespace;
import java.util.Optional;
import java.util.OptionalLong;

/** Says which holder may write a file, and under which epoch. */
final class Leases {
  private Leases() {}

  /**
   * @param user whose holder it is: no other user may act with it
   * @param startLength of the file
   * @param firstEpoch write epoch with which the holder begins
   */
  static LeaseRecord of(ByteString holder, String user, long startLength, int firstEpoch) {
    return LeaseRecord.newBuilder()
        .setHolder(holder)
        .setUser(user)
        .setStartLength(startLength)
        .setFirstEpoch(firstEpoch)
        .build();
  }

  /**
   * @throws VdfsException LEASE_CONFLICT if anyone, the caller included, writes {@code file}
   */
  static void requireClosed(InodeRecord file, MetaPath path) throws VdfsException {
    if (Inodes.isOpen(file)) {
      String writer = file.getFile().getLease().getRecovering() ? "lease recovery" : "a client";
      throw new VdfsException(
          ErrorCode.LEASE_CONFLICT, "file is being written: path=" + path + ", by=" + writer);
    }
  }

  /** The id alone is not enough: another user may have learnt it, as from a log. */
  private static boolean isHeldBy(InodeRecord file, ByteString holder, String user) {
    LeaseRecord lease = file.getFile().getLease();
    return file.getFile().hasLease()
        && lease.getHolder().equals(holder)
        && lease.getUser().equals(user);
  }

  /**
   * The file that {@code holder}, of the caller, writes under {@code epoch}.
   *
   * @throws VdfsException NOT_FOUND, FILE_CHANGED, FENCED if the lease is over or in other hands
   */
  static InodeRecord requireWriter(
      FileKeyProto key, ByteString holder, int epoch, MetaContext context) throws VdfsException {
    Checks.id(holder, "holder");
    InodeRecord file = context.namespace().file(key);
    if (!isHeldBy(file, holder, context.access().user())) {
      throw fenced("lease is over", file, epoch);
    }
    requireEpoch(file, epoch);
    return file;
  }

  /**
   * @throws VdfsException FENCED if {@code epoch} is not the current one
   */
  static void requireEpoch(InodeRecord file, int epoch) throws VdfsException {
    if (file.getFile().getWriteEpoch() != epoch) {
      throw fenced("write epoch is over", file, epoch);
    }
  }

  static VdfsException fenced(String reason, InodeRecord file, int epoch) {
    return new VdfsException(
        ErrorCode.FENCED,
        "%s: fileId=%s, epoch=%s, current=%s"
            .formatted(
                reason,
                file.getId(),
                Integer.toUnsignedString(epoch),
                file.getFile().getWriteEpoch()));
  }

  /**
   * The epoch after the current one.
   *
   * @throws VdfsException UNSUPPORTED when the file ran out of epochs
   */
  static int nextEpoch(FileRecord content) throws VdfsException {
    if (content.getWriteEpoch() == Integer.MAX_VALUE) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED,
          "file was written too often, copy it: epoch=" + content.getWriteEpoch());
    }
    return content.getWriteEpoch() + 1;
  }

  /** The answer to recovery about the file that it has taken over. */
  static MetaResponse opened(InodeRecord file, MetaContext context) {
    return MetaResponse.newBuilder().setOpenFile(result(file, context)).build();
  }

  /** The answer to the holder of a lease about its new write epoch. */
  static MetaResponse openedForWriting(InodeRecord file, MetaContext context) {
    OpenFileResult.Builder result = result(file, context);
    result.getTicketBuilder().setLastDeletion(context.deletions().lastSequence());
    result
        .getStatusBuilder()
        .setLeaseStartChecksum(
            new ToldChecksums(file.getFile(), context.settings().geometry()).ofStart());
    return MetaResponse.newBuilder().setOpenFile(result).build();
  }

  private static OpenFileResult.Builder result(InodeRecord file, MetaContext context) {
    OpenFileResult.Builder result =
        OpenFileResult.newBuilder().setFileId(file.getId()).setStatus(Inodes.status(file));
    spaceLeft(file, context.namespace()).ifPresent(result::setSpaceLeft);
    return result;
  }

  /**
   * The bytes that the tightest space quota above a file leaves, so that its writer stops in time.
   * A parent that the same operation makes has no quota.
   */
  private static OptionalLong spaceLeft(InodeRecord file, Namespace namespace) {
    OptionalLong left = OptionalLong.empty();
    if (!namespace.hasQuotas()) {
      return left;
    }
    Optional<InodeRecord> at = namespace.find(file.getParentId());
    while (at.isPresent()) {
      QuotaRecord quota = at.get().getQuota();
      if (quota.hasSpaceLimit()) {
        long here = Math.max(0, quota.getSpaceLimit() - quota.getSpace());
        left = OptionalLong.of(Math.min(here, left.orElse(Long.MAX_VALUE)));
      }
      at = namespace.find(at.get().getParentId());
    }
    return left;
  }
}
