package io.vdfs.datanode.meta.query.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.wire.proto.AclEntryProto;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LeaseRecord;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.datanode.meta.state.Inodes;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ListPageWriterTest {
  private static final List<String> NAMES =
      List.of("", "a", "part-00000", "\u00e4\u00f6", "\uffff", "\ud83d\ude00", "x".repeat(255));

  private final Random random = new Random(7);

  private long number() {
    return random.nextInt(4) == 0 ? 0 : random.nextLong() >>> random.nextInt(64);
  }

  private String name() {
    return NAMES.get(random.nextInt(NAMES.size()));
  }

  private InodeRecord inode() {
    InodeRecord.Builder inode =
        InodeRecord.newBuilder()
            .setId(number())
            .setParentId(number())
            .setName(name())
            .setOwner(name())
            .setGroup(name())
            .setMode(random.nextInt(02000))
            .setModificationMillis(number())
            .setAccessMillis(number());
    if (random.nextBoolean()) {
      inode.addAcl(AclEntryProto.newBuilder().setName("u").setPermission(7));
    }
    return random.nextInt(4) == 0 ? inode.build() : inode.setFile(file()).build();
  }

  private FileRecord file() {
    FileRecord.Builder file =
        FileRecord.newBuilder()
            .setGeneration((int) number())
            .setLength(number())
            .setReplication((int) number())
            .setBlockSize(number())
            .setWriteEpoch((int) number());
    for (int i = random.nextInt(4); i > 0; i--) {
      byte[] node = new byte[16];
      random.nextBytes(node);
      file.addExclusions(
          ExclusionProto.newBuilder()
              .setNode(ByteString.copyFrom(node))
              .setFirstGroup((int) number())
              .setEndGroup((int) number()));
    }
    if (random.nextBoolean()) {
      file.setLease(LeaseRecord.getDefaultInstance());
    }
    return file.build();
  }

  @Test
  void shouldReadBackAsTheStatusOfEachInode() throws InvalidProtocolBufferException {
    for (int round = 0; round < 200; round++) {
      ListPageWriter page = new ListPageWriter();
      ListResult.Builder expected = ListResult.newBuilder();
      for (int i = random.nextInt(100); i > 0; i--) {
        InodeRecord inode = inode();
        String name = name();
        boolean readable = random.nextBoolean();
        boolean writable = random.nextBoolean();
        page.add(inode, name, inode.getFile().getLength(), readable, writable);
        expected.addEntries(
            Inodes.status(inode).setName(name).setReadable(readable).setWritable(writable));
      }
      boolean more = random.nextBoolean();
      assertEquals(expected.getEntriesCount(), page.entries());
      assertEquals(expected.build().getSerializedSize(), page.bytes());
      assertEquals(expected.setMore(more).build(), ListResult.parseFrom(page.finish(more)));
    }
  }

  @Test
  void shouldHoldAnEntryLargerThanItsFirstBuffer() throws InvalidProtocolBufferException {
    FileRecord.Builder file = FileRecord.newBuilder();
    for (int i = 0; i < 1_024; i++) {
      file.addExclusions(ExclusionProto.newBuilder().setFirstGroup(i).setEndGroup(-1));
    }
    InodeRecord inode = InodeRecord.newBuilder().setId(1 << 8).setFile(file).build();
    ListPageWriter page = new ListPageWriter();
    page.add(inode, "n", 0, false, false);
    assertTrue(page.bytes() > 8 << 10, () -> "bytes=" + page.bytes());
    assertEquals(
        Inodes.status(inode).setName("n").build(),
        ListResult.parseFrom(page.finish(false)).getEntries(0));
  }
}
