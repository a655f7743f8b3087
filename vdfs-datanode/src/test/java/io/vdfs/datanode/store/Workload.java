package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.group.DiskBlockStore;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A script that uses all that a store can do, and keeps a model of what must be there afterwards. A
 * group whose step failed is left alone from then on. Confined to a test.
 */
final class Workload {
  private static final FileKey FIRST = new FileKey(256 + 3, 1);
  private static final FileKey SECOND = new FileKey(512 + 3, 2);
  private static final FileKey DELETED = new FileKey(768 + 3, 1);
  private static final int SMALL = 1300;

  private final DiskBlockStore store;
  private final byte[] first = StoreFixture.content(1, 2 * GROUP);
  private final ModelGroup head = new ModelGroup(FIRST, 0);
  private final ModelGroup tail = new ModelGroup(FIRST, 1);
  private final ModelGroup second = new ModelGroup(SECOND, 0);
  private final ModelGroup gone = new ModelGroup(DELETED, 0);
  private final ModelGroup unready = new ModelGroup(new FileKey(1024 + 3, 1), 0);
  private final ModelGroup small = new ModelGroup(new FileKey(1024 + 4, 1), 0);
  private final ModelGroup whole = new ModelGroup(new FileKey(1024 + 5, 1), 0);
  private final ModelGroup late = new ModelGroup(new FileKey(1024 + 6, 1), 0);
  private int failures;

  Workload(DiskBlockStore store) {
    this.store = store;
  }

  List<ModelGroup> model() {
    return List.of(head, tail, second, gone, unready, small, whole, late);
  }

  /** Steps that failed. */
  int failures() {
    return failures;
  }

  void run() {
    attempt(this::writeHead);
    attempt(this::appendToHead);
    attempt(this::writeTail);
    attempt(this::truncateHead);
    store.writeBack();
    attempt(this::writeSecond);
    attempt(this::copyToSecond);
    attempt(this::rewriteHead);
    attempt(this::deleteGone);
    store.writeBack();
    writeSmallFiles();
  }

  /** Without a blank file, in blank ones, and on where these get other names meanwhile. */
  private void writeSmallFiles() {
    attempt(() -> writeSmall(unready, SMALL));
    store.writeBack();
    attempt(() -> writeSmall(small, SMALL));
    attempt(() -> writeSmall(whole, BLOCK));
    attempt(() -> appendToSmall(2, SMALL + 100));
    store.writeBack();
    attempt(() -> appendToSmall(3, SMALL + 900));
    attempt(this::fenceWhole);
    attempt(() -> writeSmall(late, SMALL));
  }

  private void writeSmall(ModelGroup model, int length) throws VdfsException {
    BlockWriter writer = StoreFixture.smallWriter(store, model.key(), length);
    try {
      append(writer, model, first, 0, length, 0);
      writer.close(true);
      model.holds(of(first, 0, length), length);
      model.fenced(2);
    } finally {
      writer.abandon();
    }
  }

  private void appendToSmall(long epoch, int to) throws VdfsException {
    int held = (int) store.group(small.key(), 0).length();
    int from = held / CHUNK * CHUNK;
    BlockWriter writer = open(small, epoch, from);
    try {
      append(writer, small, first, from, to, held);
      writer.sync();
      small.holds(of(first, 0, to), to);
      writer.close(true);
      small.fenced(epoch + 1);
    } finally {
      writer.abandon();
    }
  }

  private void fenceWhole() throws VdfsException {
    store.fence(whole.key(), 0, 9);
    whole.fenced(9);
  }

  @FunctionalInterface
  private interface Step {
    void run() throws VdfsException;
  }

  private void attempt(Step step) {
    try {
      step.run();
    } catch (VdfsException e) {
      failures++;
    }
  }

  private byte[] of(byte[] file, int from, int to) {
    return Arrays.copyOfRange(file, from, to);
  }

  private void append(
      BlockWriter writer, ModelGroup model, byte[] file, int from, int to, int least)
      throws VdfsException {
    int start = model.group() * GROUP;
    model.mayHold(of(file, start, to), least);
    StoreFixture.append(writer, file, from, to);
  }

  private void writeHead() throws VdfsException {
    BlockWriter writer = open(head, 1, 0);
    try {
      append(writer, head, first, 0, 700, 0);
      writer.checkpoint();
      append(writer, head, first, CHUNK, 1500, 0);
      writer.sync();
      head.holds(of(first, 0, 1500), 1500);
      append(writer, head, first, 2 * CHUNK, 1510, 1500);
      writer.checkpoint();
      append(writer, head, first, 2 * CHUNK, 5000, 1500);
      writer.checkpoint();
      store.writeBack();
      writer.close(true);
      head.holds(of(first, 0, 5000), 5000);
      head.fenced(2);
    } finally {
      writer.abandon();
    }
  }

  private BlockWriter open(ModelGroup model, long epoch, int start) throws VdfsException {
    return store.openWriter(model.key(), BlockRole.PRIMARY, epoch, start, model.group());
  }

  private void appendToHead() throws VdfsException {
    BlockWriter writer = open(head, 2, 9 * CHUNK);
    try {
      append(writer, head, first, 9 * CHUNK, 5100, 5000);
      writer.sync();
      head.holds(of(first, 0, 5100), 5100);
      append(writer, head, first, 9 * CHUNK, GROUP, 5100);
      writer.close(true);
      head.holds(of(first, 0, GROUP), GROUP);
      head.fenced(3);
    } finally {
      writer.abandon();
    }
  }

  private void writeTail() throws VdfsException {
    BlockWriter writer = open(tail, 2, GROUP);
    try {
      append(writer, tail, first, GROUP, GROUP + 900, 0);
      writer.checkpoint();
      append(writer, tail, first, GROUP + CHUNK, GROUP + 3000, 0);
      writer.close(false);
    } finally {
      writer.abandon();
    }
  }

  private void truncateHead() throws VdfsException {
    int cut = 2 * BLOCK + 300;
    Optional<byte[]> held = heldOf(head);
    if (held.isEmpty() || held.get().length < cut) {
      return;
    }
    head.mayHold(held.get(), cut);
    store.truncateGroup(FIRST, 0, cut, 3);
    head.holds(of(held.get(), 0, cut), cut);
    head.fenced(3);
  }

  private Optional<byte[]> heldOf(ModelGroup model) {
    try {
      return Optional.of(StoreFixture.readGroup(store, model.key(), model.group()));
    } catch (VdfsException e) {
      return Optional.empty();
    }
  }

  private void writeSecond() throws VdfsException {
    BlockWriter writer = open(second, 1, 0);
    try {
      append(writer, second, first, 0, 3000, 0);
      writer.checkpoint();
    } finally {
      writer.abandon();
    }
    long length = StoreFixture.verified(store, SECOND, 0, 5);
    second.holds(of(first, 0, 3000), (int) length);
    second.fenced(5);
  }

  /** Takes the place of a short block by a longer copy, as recovery does it. */
  private void copyToSecond() throws VdfsException {
    int end = BLOCK + 1900;
    Optional<byte[]> held = heldOf(second);
    if (held.isEmpty() || held.get().length < BLOCK) {
      return;
    }
    second.mayHold(of(first, 0, end), held.get().length);
    try (BlockCopy copy = store.openCopy(SECOND, BlockRole.PRIMARY, 1, 6)) {
      append(copy, BLOCK, BLOCK + 2 * CHUNK);
      append(copy, BLOCK + 2 * CHUNK, end);
      copy.finish();
    }
    store.truncateGroup(SECOND, 0, end, 6);
    second.holds(of(first, 0, end), end);
    second.fenced(6);
  }

  private void append(BlockCopy copy, int from, int to) throws VdfsException {
    ByteBuffer data = ByteBuffer.wrap(first, from, to - from);
    copy.append(VerifiedChunks.compute(data, CHUNK));
  }

  /** Replaces half of a block, and all behind it, by other bytes. */
  private void rewriteHead() throws VdfsException {
    if (store.group(FIRST, 0).length() < 3 * CHUNK) {
      return;
    }
    BlockWriter writer = open(head, 6, 2 * CHUNK);
    try {
      byte[] other = first.clone();
      Arrays.fill(other, 2 * CHUNK, other.length, (byte) 7);
      Optional<byte[]> held = heldOf(head);
      head.mayHold(held.orElse(first), 2 * CHUNK);
      append(writer, head, other, 2 * CHUNK, 4000, 2 * CHUNK);
      writer.checkpoint();
      append(writer, head, other, 7 * CHUNK, 7000, 2 * CHUNK);
      writer.sync();
      head.holds(of(other, 0, 7000), 7000);
      writer.close(true);
      head.fenced(7);
    } finally {
      writer.abandon();
    }
  }

  private void deleteGone() throws VdfsException {
    BlockWriter writer = open(gone, 1, 0);
    try {
      append(writer, gone, first, 0, 600, 0);
      writer.sync();
      gone.holds(of(first, 0, 600), 600);
    } finally {
      writer.abandon();
    }
    gone.mayHold(new byte[0], 0);
    store.delete(DELETED);
  }
}
