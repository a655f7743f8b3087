package io.vdfs.datanode.meta.query.page;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.WireFormat;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LeaseRecord;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.state.Inodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Encodes a {@link ListResult} straight from inodes: a message per entry would cost more than the
 * rest of a listing. Its entries read back as what {@link Inodes#status} builds. For one page and
 * one thread.
 */
public final class ListPageWriter {
  private static final int FIRST_BYTES = 8 << 10;

  /** The tag of an entry and its length where that is below 128, as of most. */
  private static final int SHORT_HEADER = 2;

  /** Tags and numbers of an entry, generously, and whatever its length takes. */
  private static final int FIXED_BYTES = 256;

  /** Bytes of UTF-8 for a char of a string, at most. */
  private static final int CHAR_BYTES = 3;

  /** Tag and length of a nested message, generously. */
  private static final int NESTED_HEADER = 16;

  private static final int ENTRY_TAG =
      ListResult.ENTRIES_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private byte[] page = new byte[FIRST_BYTES];
  private int end;
  private int entries;

  public int entries() {
    return entries;
  }

  /** Bytes written so far. */
  public int bytes() {
    return end;
  }

  /**
   * @param name as the entry shows it
   * @param flushed bytes that readers can see of a file
   */
  public void add(
      InodeRecord inode, String name, long flushed, boolean readable, boolean writable) {
    ensure(bound(inode, name));
    int start = end + SHORT_HEADER;
    CodedOutputStream out = CodedOutputStream.newInstance(page, start, page.length - start);
    try {
      write(out, inode, name, flushed);
      flag(out, StatusProto.READABLE_FIELD_NUMBER, readable);
      flag(out, StatusProto.WRITABLE_FIELD_NUMBER, writable);
      close(out.getTotalBytesWritten());
    } catch (IOException e) {
      throw new UncheckedIOException("entry larger than computed: inode=" + inode.getId(), e);
    }
    entries++;
  }

  private static int bound(InodeRecord inode, String name) {
    int chars = name.length() + inode.getOwner().length() + inode.getGroup().length();
    int bytes = FIXED_BYTES + chars * CHAR_BYTES;
    for (ExclusionProto exclusion : inode.getFile().getExclusionsList()) {
      bytes += NESTED_HEADER + exclusion.getSerializedSize();
    }
    return bytes;
  }

  private void ensure(int more) {
    if (page.length - end < more) {
      page = Arrays.copyOf(page, Math.max(page.length * 2, end + more));
    }
  }

  /** Puts the header before a body of {@code length} bytes. */
  private void close(int length) throws IOException {
    int header = 1 + CodedOutputStream.computeUInt32SizeNoTag(length);
    if (header != SHORT_HEADER) {
      System.arraycopy(page, end + SHORT_HEADER, page, end + header, length);
    }
    CodedOutputStream out = CodedOutputStream.newInstance(page, end, header);
    out.writeUInt32NoTag(ENTRY_TAG);
    out.writeUInt32NoTag(length);
    end += header + length;
  }

  private static void write(CodedOutputStream out, InodeRecord inode, String name, long flushed)
      throws IOException {
    number(out, StatusProto.INODE_ID_FIELD_NUMBER, inode.getId());
    flag(out, StatusProto.DIRECTORY_FIELD_NUMBER, Inodes.isDirectory(inode));
    text(out, StatusProto.NAME_FIELD_NUMBER, name);
    text(out, StatusProto.OWNER_FIELD_NUMBER, inode.getOwner());
    text(out, StatusProto.GROUP_FIELD_NUMBER, inode.getGroup());
    number(out, StatusProto.MODE_FIELD_NUMBER, inode.getMode());
    number(out, StatusProto.MODIFICATION_MILLIS_FIELD_NUMBER, inode.getModificationMillis());
    number(out, StatusProto.ACCESS_MILLIS_FIELD_NUMBER, inode.getAccessMillis());
    if (!Inodes.isDirectory(inode)) {
      write(out, inode.getFile());
      flag(out, StatusProto.UNDER_CONSTRUCTION_FIELD_NUMBER, Inodes.isOpen(inode));
    }
    number(out, StatusProto.PARENT_ID_FIELD_NUMBER, inode.getParentId());
    flag(out, StatusProto.HAS_ACL_FIELD_NUMBER, inode.getAclCount() > 0);
    LeaseRecord lease = inode.getFile().getLease();
    number(out, StatusProto.LEASE_START_LENGTH_FIELD_NUMBER, lease.getStartLength());
    unsigned(out, StatusProto.LEASE_FIRST_EPOCH_FIELD_NUMBER, lease.getFirstEpoch());
    long shown = Inodes.shownFlushedLength(inode, flushed);
    number(out, StatusProto.FLUSHED_LENGTH_FIELD_NUMBER, shown);
  }

  private static void write(CodedOutputStream out, FileRecord file) throws IOException {
    number(out, StatusProto.LENGTH_FIELD_NUMBER, file.getLength());
    unsigned(out, StatusProto.GENERATION_FIELD_NUMBER, file.getGeneration());
    unsigned(out, StatusProto.REPLICATION_FIELD_NUMBER, file.getReplication());
    unsigned(out, StatusProto.COUNTED_COPIES_FIELD_NUMBER, file.getCountedCopies());
    number(out, StatusProto.BLOCK_SIZE_FIELD_NUMBER, file.getBlockSize());
    unsigned(out, StatusProto.WRITE_EPOCH_FIELD_NUMBER, file.getWriteEpoch());
    for (ExclusionProto exclusion : file.getExclusionsList()) {
      out.writeMessage(StatusProto.EXCLUSIONS_FIELD_NUMBER, exclusion);
    }
  }

  private static void number(CodedOutputStream out, int field, long value) throws IOException {
    if (value != 0) {
      out.writeUInt64(field, value);
    }
  }

  private static void unsigned(CodedOutputStream out, int field, int value) throws IOException {
    if (value != 0) {
      out.writeUInt32(field, value);
    }
  }

  private static void flag(CodedOutputStream out, int field, boolean value) throws IOException {
    if (value) {
      out.writeBool(field, true);
    }
  }

  private static void text(CodedOutputStream out, int field, String value) throws IOException {
    if (!value.isEmpty()) {
      out.writeString(field, value);
    }
  }

  /** Ends the page; the writer is used up. */
  public ByteString finish(boolean more) {
    ensure(FIXED_BYTES);
    CodedOutputStream out = CodedOutputStream.newInstance(page, end, page.length - end);
    try {
      flag(out, ListResult.MORE_FIELD_NUMBER, more);
    } catch (IOException e) {
      throw new UncheckedIOException("page has no space left: bytes=" + end, e);
    }
    end += out.getTotalBytesWritten();
    return UnsafeByteOperations.unsafeWrap(page, 0, end);
  }
}
