package io.vdfs.datanode.meta.state;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.XAttrRecord;
import java.util.Optional;

/**
 * The extended attribute that says how files are closed: {@code forced}, as where there is none, or
 * {@code unforced}. Inodes made in a directory inherit it. Stateless.
 */
public final class CloseAttribute {
  public static final String NAME = XAttrName.USER + ".vdfs.close";

  private static final ByteString FORCED = ByteString.copyFromUtf8("forced");
  private static final ByteString UNFORCED = ByteString.copyFromUtf8("unforced");

  private CloseAttribute() {}

  /** Hands the attribute of a directory down to an inode made in it. */
  public static void inherit(InodeRecord parent, InodeRecord.Builder child) {
    find(parent).ifPresent(child::addXattrs);
  }

  /** Whether a writer of the file may close it without forcing it. */
  public static boolean isUnforced(InodeRecord file) {
    return find(file).filter(xattr -> xattr.getValue().equals(UNFORCED)).isPresent();
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT if the attribute cannot have that value
   */
  public static void check(ByteString value) throws VdfsException {
    if (!value.equals(FORCED) && !value.equals(UNFORCED)) {
      throw Refusals.invalid(
          "%s is forced or unforced: value=%s; give one of them or remove the attribute"
              .formatted(NAME, SentText.shown(value.toStringUtf8())));
    }
  }

  private static Optional<XAttrRecord> find(InodeRecord inode) {
    return inode.getXattrsList().stream().filter(xattr -> xattr.getName().equals(NAME)).findFirst();
  }
}
