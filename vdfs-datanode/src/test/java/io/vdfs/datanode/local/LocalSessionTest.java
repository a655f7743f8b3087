package io.vdfs.datanode.local;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.HeapIndexedStores;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.stream.BlockWarmer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LocalSessionTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);
  private static final FileKey FILE = new FileKey(77, 1);

  @TempDir private Path volume;
  private BlockStore store;
  private LocalDelivery delivery;
  private LocalSession session;

  @BeforeEach
  void open() throws VdfsException {
    store =
        HeapIndexedStores.open(
            new StoreConfig(
                UUID.randomUUID(),
                NodeId.random(),
                GEOMETRY,
                List.of(volume),
                volume.resolve("index"),
                0,
                StoreConfig.DEFAULT_WRITE_BACK,
                StoreConfig.DEFAULT_MAX_OPEN_FILES));
    start(store, BlockWarmer.NONE);
  }

  private void start(BlockStore over, BlockWarmer warmer) {
    delivery = LocalDelivery.open(over, GEOMETRY, List.of(volume), warmer);
    session = delivery.open();
  }

  @AfterEach
  void close() throws VdfsException {
    delivery.close();
    store.close();
  }

  @Test
  void shouldTellWhereWholeChunksLieAndWhatTheyAre() throws IOException {
    byte[] content = write(FILE, 5000);

    LocalRange range = session.grant(FILE, 1, 600, 500).join();

    assertEquals(512, range.offset());
    assertEquals(1024, range.length());
    ByteBuffer bytes = ByteBuffer.allocate(range.length());
    try (FileChannel file = FileChannel.open(range.link())) {
      file.read(bytes, range.position());
    }
    assertEquals(ByteBuffer.wrap(content, 2048 + 512, 1024), bytes.flip());
    assertEquals(-1, range.checksums().firstMismatch(bytes, GEOMETRY.chunkSize()));
    assertEquals(1, delivery.counters().get(LocalCounter.GRANTS));
    assertEquals(1024, delivery.counters().get(LocalCounter.GRANTED_BYTES));
    assertEquals(5000 - 4096, session.grant(FILE, 2, 0, 9999).join().length());
  }

  @Test
  void shouldGiveASessionOneNamePerFileThatCannotBeGuessed() throws IOException {
    write(FILE, 5000);
    Path name = session.grant(FILE, 0, 0, 1).join().link();
    assertEquals(name, session.grant(FILE, 1, 0, 1).join().link());

    try (LocalSession other = delivery.open()) {
      Path otherName = other.grant(FILE, 0, 0, 1).join().link();
      assertNotEquals(name, otherName);
      assertTrue(otherName.getFileName().toString().matches("[0-9a-f]{32}"), otherName::toString);
    }
    awaitLinks(List.of(name));
    assertEquals(
        "rwx--x--x",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(volume.resolve("local"))));
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(volume.resolve("blocks"))));
  }

  /** Needs root, to become another user. */
  @Test
  @EnabledIf("canBecomeAnotherUser")
  void shouldLetAnotherUserReadByTheNameOnly() throws Exception {
    write(FILE, 3000);
    Files.setPosixFilePermissions(volume, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path name = session.grant(FILE, 0, 0, 1).join().link();
    Path itself;
    try (Stream<Path> files = Files.walk(volume.resolve("blocks"))) {
      itself = files.filter(file -> file.toString().endsWith(".vcf")).findFirst().orElseThrow();
    }

    assertTrue(asAnotherUser("cat", name), "the name opens the file");
    assertFalse(asAnotherUser("ls", name.getParent()), "names cannot be listed");
    assertFalse(asAnotherUser("cat", itself), "there is no other way to it");
    assertFalse(asAnotherUser("rm", name), "names cannot be removed");
    assertFalse(asAnotherUser("touch", name.resolveSibling("foreign")), "nor made");
    assertFalse(asAnotherUser("truncate", "-s0", name), "the file cannot be changed");
    session.close();
    awaitLinks(List.of());
    assertFalse(asAnotherUser("cat", name), "the name is gone");
  }

  static boolean canBecomeAnotherUser() {
    return System.getProperty("user.name").equals("root")
        && Files.isExecutable(Path.of("/usr/bin/setpriv"));
  }

  private static boolean asAnotherUser(Object... command) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    Stream.of(command).map(Object::toString).forEach(line::add);
    return new ProcessBuilder(line)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }

  @Test
  void shouldRefuseWhatTheNodeDoesNotHold() throws IOException {
    write(FILE, 3000);

    assertCode(ErrorCode.NOT_FOUND, new FileKey(78, 1), 0, 0);
    assertCode(ErrorCode.NOT_FOUND, new FileKey(77, 2), 0, 0);
    assertCode(ErrorCode.NOT_FOUND, FILE, 2, 0);
    assertCode(ErrorCode.NOT_FOUND, FILE, 1, 952);
    assertEquals(List.of(), links());
  }

  @Test
  void shouldRefuseAGroupThatIsBeingWritten() throws IOException {
    byte[] content = write(FILE, 3000);
    BlockWriter writer = store.openWriter(FILE, BlockRole.PRIMARY, 2, 2560, 0);
    assertCode(ErrorCode.LEASE_CONFLICT, FILE, 0, 0);

    append(writer, content, 2560, 3000);
    writer.close(false);

    assertEquals(2048, session.grant(FILE, 0, 0, 2048).join().length());
  }

  @Test
  void shouldGrantBlocksBehindAsFarAsTheyAreWholeAndInMemory() throws IOException {
    byte[] content = write(FILE, 7000);
    AtomicInteger inMemory = new AtomicInteger(3);
    start(store, memory((block, length) -> block < inMemory.get()));
    LocalRange first = session.grant(FILE, 0, 0, 2048).join();

    List<LocalRange> following = session.following(FILE, 0, 7, 0);

    assertEquals(2, following.size());
    for (int index = 0; index < 2; index++) {
      LocalRange range = following.get(index);
      assertEquals(first.link(), range.link());
      assertEquals(0, range.offset());
      assertEquals(2048, range.length());
      ByteBuffer bytes = ByteBuffer.allocate(2048);
      try (FileChannel file = FileChannel.open(range.link())) {
        file.read(bytes, range.position());
      }
      assertEquals(ByteBuffer.wrap(content, (index + 1) * 2048, 2048), bytes.flip());
      assertEquals(-1, range.checksums().firstMismatch(bytes, GEOMETRY.chunkSize()));
    }
    assertEquals(2, delivery.counters().get(LocalCounter.EARLY_GRANTS));
    assertEquals(3, delivery.counters().get(LocalCounter.GRANTS));
    assertEquals(3 * 2048, delivery.counters().get(LocalCounter.GRANTED_BYTES));
    inMemory.set(9);
    assertEquals(2, session.following(FILE, 0, 7, 0).size(), "the last block is not whole");
    assertEquals(1, session.following(FILE, 0, 1, 0).size());
  }

  @Test
  void shouldGrantTheRestOfABlockThatIsWholeAndInMemory() throws IOException {
    byte[] content = write(FILE, 5000);
    AtomicBoolean inMemory = new AtomicBoolean(true);
    start(store, memory((block, length) -> inMemory.get() && length == 1536));
    assertEquals(Optional.empty(), session.rest(FILE, 1, 512, 0), "no name yet");
    LocalRange first = session.grant(FILE, 1, 0, 512).join();
    inMemory.set(false);
    assertEquals(Optional.empty(), session.rest(FILE, 1, 512, 0), "not in memory");
    inMemory.set(true);

    LocalRange rest = session.rest(FILE, 1, 512, 0).orElseThrow();

    assertEquals(first.link(), rest.link());
    assertEquals(512, rest.offset());
    assertEquals(1536, rest.length());
    ByteBuffer bytes = ByteBuffer.allocate(1536);
    try (FileChannel file = FileChannel.open(rest.link())) {
      file.read(bytes, rest.position());
    }
    assertEquals(ByteBuffer.wrap(content, 2048 + 512, 1536), bytes.flip());
    assertEquals(-1, rest.checksums().firstMismatch(bytes, GEOMETRY.chunkSize()));
    assertEquals(1, delivery.counters().get(LocalCounter.EARLY_GRANTS));
    assertEquals(512 + 1536, delivery.counters().get(LocalCounter.GRANTED_BYTES));
    assertEquals(Optional.empty(), session.rest(FILE, 1, 512, 2), "of an older epoch");
    assertEquals(Optional.empty(), session.rest(FILE, 2, 512, 0), "not whole");
  }

  @Test
  void shouldGrantNothingBehindThatNobodyMayReadYet() throws IOException {
    write(FILE, 4 * 2048);
    BlockWriter behind = store.openWriter(FILE, BlockRole.PRIMARY, 1, 4 * 2048, 1);
    append(behind, new byte[6 * 2048], 4 * 2048, 6 * 2048);
    behind.close(false);
    start(store, memory((block, length) -> true));
    assertEquals(List.of(), session.following(FILE, 0, 7, 0), "no name yet");
    session.grant(FILE, 0, 0, 2048).join();

    assertEquals(5, session.following(FILE, 0, 7, 1).size());
    assertEquals(List.of(), session.following(FILE, 0, 7, 2), "of an older epoch");
    assertEquals(List.of(), session.following(FILE, 0, -7, 0));
    assertEquals(List.of(), session.following(FILE, Long.MAX_VALUE, 7, 0));
    BlockWriter writer = store.openWriter(FILE, BlockRole.PRIMARY, 2, 6 * 2048, 1);
    assertEquals(3, session.following(FILE, 0, 7, 0).size(), "a group is being written");
    writer.close(false);
    assertEquals(List.of(), session.following(new FileKey(78, 1), 0, 7, 0));
  }

  /** Everything is granted at once; what is in memory can be taken. */
  private static BlockWarmer memory(BiPredicate<Long, Integer> holds) {
    return new BlockWarmer() {
      @Override
      public CompletableFuture<Void> warm(FileKey file, long block, int offset, int length) {
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public boolean takeFromMemory(FileKey file, long block, int offset, int length) {
        return holds.test(block, length);
      }
    };
  }

  @Test
  void shouldGrantOnlyWhatIsWarm() throws IOException {
    write(FILE, 3000);
    CompletableFuture<Void> warm = new CompletableFuture<>();
    start(store, (file, block, offset, length) -> warm);

    CompletableFuture<LocalRange> grant = session.grant(FILE, 0, 0, 1);
    assertFalse(grant.isDone());
    assertEquals(0, delivery.counters().get(LocalCounter.GRANTS), "not yet");
    warm.completeExceptionally(new VdfsException(ErrorCode.IO_ERROR, "the disk is bad"));

    assertEquals(512, grant.join().length(), "the reader finds out by itself");
    assertEquals(512, delivery.counters().get(LocalCounter.GRANTED_BYTES));
    assertEquals(512, delivery.counters().get(LocalCounter.GRANTED_COLD_BYTES));
  }

  @Test
  void shouldBelieveReadersNoMoreThanTheyWereGranted() throws IOException {
    write(FILE, 3000);
    session.onTold(1, 1);
    assertTold(0, 0);

    session.grant(FILE, 0, 0, 2048).join();
    session.onTold(-1, Long.MIN_VALUE);
    assertTold(0, 0);
    session.onTold(1000, 400);
    assertTold(1000, 400);
    session.onTold(Long.MAX_VALUE, Long.MAX_VALUE);
    session.onTold(1, 1);
    assertTold(2048, 2048);

    session.grant(FILE, 0, 0, 512).join();
    session.onTold(512, 0);
    assertTold(2560, 2048);
    assertEquals(2560, delivery.counters().get(LocalCounter.GRANTED_BYTES));
    assertEquals(0, delivery.counters().get(LocalCounter.GRANTED_COLD_BYTES));
  }

  private void assertTold(long read, long fetched) {
    assertEquals(read, delivery.counters().get(LocalCounter.READ_BYTES));
    assertEquals(fetched, delivery.counters().get(LocalCounter.FETCHED_BY_CLIENT_BYTES));
  }

  @Test
  void shouldTakeAllNamesBackAtTheEnd() throws IOException {
    write(FILE, 3000);
    assertTrue(Files.exists(session.grant(FILE, 0, 0, 1).join().link()));

    session.close();
    session.close();

    awaitLinks(List.of());
    awaitThat(() -> delivery.counters().get(LocalCounter.LINKS_REMOVED) == 1);
    assertCode(ErrorCode.UNSUPPORTED, FILE, 0, 0);
  }

  @Test
  void shouldTakeTheNamesOfADeletedFileBack() throws IOException {
    FileKey kept = new FileKey(99, 1);
    write(FILE, 3000);
    write(kept, 3000);
    session.grant(FILE, 0, 0, 1).join();
    Path stays = session.grant(kept, 0, 0, 1).join().link();

    store.delete(FILE);
    delivery.onDeleted(FILE);

    awaitLinks(List.of(stays));
    assertCode(ErrorCode.NOT_FOUND, FILE, 0, 0);
  }

  @Test
  void shouldLeaveNoNameOfAFileThatIsDeletedWhileItIsNamed() throws IOException {
    write(FILE, 3000);
    AtomicInteger lookups = new AtomicInteger();
    BlockStore racing =
        (BlockStore)
            Proxy.newProxyInstance(
                BlockStore.class.getClassLoader(),
                new Class<?>[] {BlockStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("locate") && lookups.incrementAndGet() == 2) {
                    store.delete(FILE);
                    delivery.onDeleted(new FileKey(1, 1));
                  }
                  try {
                    return method.invoke(store, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    start(racing, BlockWarmer.NONE);

    assertCode(ErrorCode.UNSUPPORTED, FILE, 0, 0);

    assertEquals(2, lookups.get());
    assertEquals(1, delivery.counters().get(LocalCounter.LINKS_MADE));
    awaitLinks(List.of());
  }

  /** A combined file that was made from a blank one gets its own name some time later. */
  @Test
  void shouldGrantAFileThatIsRenamedMeanwhile() throws IOException {
    write(FILE, 3000);
    AtomicInteger lookups = new AtomicInteger();
    BlockStore renaming =
        (BlockStore)
            Proxy.newProxyInstance(
                BlockStore.class.getClassLoader(),
                new Class<?>[] {BlockStore.class},
                (proxy, method, arguments) -> {
                  boolean later =
                      method.getName().equals("locate") && lookups.incrementAndGet() > 1;
                  try {
                    Object found = method.invoke(store, arguments);
                    return later ? ((Optional<?>) found).map(LocalSessionTest::renamed) : found;
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    start(renaming, BlockWarmer.NONE);

    LocalRange range = session.grant(FILE, 0, 0, 512).join();

    assertEquals(2, lookups.get());
    assertTrue(Files.exists(range.link()));
  }

  private static BlockLocation renamed(Object found) {
    BlockLocation place = (BlockLocation) found;
    return new BlockLocation(
        place.key(),
        place.block(),
        place.role(),
        place.volume(),
        place.path().resolveSibling("other"),
        place.position(),
        place.length(),
        place.writeEpoch(),
        place.checksums());
  }

  @Test
  void shouldGiveUpWarmingForAReaderThatGoesAway() throws IOException {
    write(FILE, 3000);
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<Void> warming = new CompletableFuture<>();
    start(
        store,
        (file, block, offset, length) -> {
          begun.complete(null);
          return warming;
        });
    CompletableFuture<LocalRange> grant = session.grant(FILE, 0, 0, 1);
    begun.join();

    grant.cancel(false);

    awaitThat(warming::isCancelled);
    assertEquals(0, delivery.counters().get(LocalCounter.GRANTS));
    assertEquals(0, delivery.counters().get(LocalCounter.GRANTED_COLD_BYTES));
  }

  @Test
  void shouldRefuseAFileThatCannotBeNamedAndTryAgainForTheNext() throws IOException {
    write(FILE, 3000);
    AtomicInteger failures = new AtomicInteger(1);
    delivery =
        LocalDelivery.open(
            store,
            GEOMETRY,
            List.of(volume),
            BlockWarmer.NONE,
            (link, file) -> {
              if (failures.getAndDecrement() > 0) {
                throw new IOException("planned error");
              }
              Files.createLink(link, file);
            });
    session = delivery.open();

    assertCode(ErrorCode.UNSUPPORTED, FILE, 0, 0);

    assertEquals(512, session.grant(FILE, 0, 0, 1).join().length());
    assertEquals(1, delivery.counters().get(LocalCounter.LINKS_MADE));
  }

  @Test
  void shouldBoundTheNamesOfASession() throws IOException {
    for (int id = 1; id <= LocalSession.MAX_LINKS + 1; id++) {
      write(new FileKey(id, 1), 600);
    }
    Path first = session.grant(new FileKey(1, 1), 0, 0, 1).join().link();
    Path second = session.grant(new FileKey(2, 1), 0, 0, 1).join().link();
    for (int id = 3; id <= LocalSession.MAX_LINKS; id++) {
      session.grant(new FileKey(id, 1), 0, 0, 1).join();
    }
    assertEquals(first, session.grant(new FileKey(1, 1), 0, 0, 1).join().link());

    session.grant(new FileKey(LocalSession.MAX_LINKS + 1, 1), 0, 0, 1).join();

    awaitThat(() -> !Files.exists(second));
    assertTrue(Files.exists(first), "used lately");
    assertEquals(LocalSession.MAX_LINKS, links().size());
  }

  @Test
  void shouldRemoveWhatAnEarlierRunLeft() throws IOException {
    write(FILE, 3000);
    Path left = session.grant(FILE, 0, 0, 1).join().link();
    assertTrue(Files.exists(left));

    start(store, BlockWarmer.NONE);

    assertEquals(List.of(), links());
    assertEquals(1, delivery.counters().get(LocalCounter.LINKS_FOUND));
    assertEquals(2048, session.grant(FILE, 0, 0, 2048).join().length(), "the file is untouched");
  }

  @Test
  void shouldDoWithoutAVolumeThatCannotHaveNames() throws IOException {
    write(FILE, 3000);
    Files.delete(volume.resolve("local"));
    Files.createFile(volume.resolve("local"));

    start(store, BlockWarmer.NONE);

    assertCode(ErrorCode.UNSUPPORTED, FILE, 0, 0);
  }

  private byte[] write(FileKey file, int length) throws VdfsException {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    BlockWriter writer = store.openWriter(file, BlockRole.PRIMARY, 1, 0, 0);
    append(writer, content, 0, length);
    writer.close(false);
    return content;
  }

  private static void append(BlockWriter writer, byte[] content, int from, int to)
      throws VdfsException {
    ByteBuffer data = ByteBuffer.wrap(content, from, to - from);
    writer.append(from, VerifiedChunks.compute(data, GEOMETRY.chunkSize()));
  }

  private void assertCode(ErrorCode code, FileKey file, long block, int offset) {
    VdfsException refused =
        assertThrows(VdfsException.class, () -> grant(session, file, block, offset));
    assertEquals(code, refused.code(), refused.getMessage());
  }

  private static LocalRange grant(LocalSession session, FileKey file, long block, int offset)
      throws VdfsException {
    try {
      return session.grant(file, block, offset, 1).join();
    } catch (CompletionException e) {
      throw (VdfsException) e.getCause();
    }
  }

  private void awaitLinks(List<Path> expected) throws IOException {
    awaitThat(() -> links().equals(expected));
  }

  private List<Path> links() throws IOException {
    try (Stream<Path> links = Files.list(volume.resolve("local"))) {
      return links.toList();
    }
  }
}
