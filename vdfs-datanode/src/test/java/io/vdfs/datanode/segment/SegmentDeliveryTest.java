package io.vdfs.datanode.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.segment.SegmentLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** What a segment is, which users can access it, and how it ends. */
@Timeout(60)
class SegmentDeliveryTest {
  private static final SegmentLayout LAYOUT = new SegmentLayout(3, 1000);

  @TempDir private Path parent;
  private final NodeId node = NodeId.random();
  private final FullDisk disk = new FullDisk();
  private Path directory;
  private SegmentDelivery delivery;

  /** A filesystem that has room for so many bytes. */
  private static final class FullDisk implements SegmentFiles {
    private long room = Long.MAX_VALUE;
    private int refusals;
    private Error fault;

    @Override
    public SegmentFile create(Path path) throws IOException {
      SegmentFile file = SegmentFiles.REAL.create(path);
      return new SegmentFile() {
        @Override
        public void write(ByteBuffer bytes, long position) throws IOException {
          if (position + bytes.remaining() > room) {
            refusals++;
            throw new IOException("No space left on device");
          }
          if (fault != null) {
            throw fault;
          }
          file.write(bytes, position);
        }

        @Override
        public void close() throws IOException {
          file.close();
        }
      };
    }
  }

  /** Guesses right. */
  private static final class KnownNames extends SecureRandom {
    private static final long serialVersionUID = 1;

    @Override
    public void nextBytes(byte[] bytes) {
      Arrays.fill(bytes, (byte) 0x5a);
    }
  }

  @BeforeEach
  void open() {
    directory = parent.resolve("vdfs-segment-" + node);
    delivery = start(new SecureRandom()).orElseThrow();
  }

  private Optional<SegmentDelivery> start(SecureRandom random) {
    SegmentSettings settings =
        new SegmentSettings(parent, Optional.empty(), 2 * LAYOUT.bytes(), LAYOUT);
    return SegmentDelivery.open(settings, node, random, disk);
  }

  @AfterEach
  void close() {
    delivery.close();
  }

  @Test
  void shouldMakeSegmentsThatOnlyTheDaemonsUserCanOpenUnderNamesThatCannotBeGuessed()
      throws IOException {
    Path first = delivery.begin().open();
    Path second = delivery.begin().open();

    assertNotEquals(first, second);
    for (Path segment : List.of(first, second)) {
      assertEquals(directory, segment.getParent());
      assertTrue(segment.getFileName().toString().matches("[0-9a-f]{32}"), segment::toString);
      assertEquals("rw-------", mode(segment));
      assertArrayEquals(new byte[3000], Files.readAllBytes(segment), "all its memory, as zeros");
    }
    assertEquals("rwx--x--x", mode(directory));
    assertEquals(2, delivery.counters().get(SegmentCounter.SEGMENTS_MADE));
  }

  @Test
  void shouldLetOneGroupReadWhereThatIsAskedFor() throws IOException {
    String group = attributes(parent).group().getName();
    SegmentSettings shared = new SegmentSettings(parent, Optional.of(group), 3000, LAYOUT);
    try (SegmentDelivery grouped = SegmentDelivery.open(shared, NodeId.random()).orElseThrow()) {
      Path segment = grouped.begin().open();

      assertEquals("rw-r-----", mode(segment));
      assertEquals(group, attributes(segment).group().getName());
    }
    SegmentSettings wrong = new SegmentSettings(parent, Optional.of("no-such-group"), 3000, LAYOUT);
    NodeId other = NodeId.random();
    try (SegmentDelivery grouped = SegmentDelivery.open(wrong, other).orElseThrow()) {
      assertRefused(grouped.begin());
      assertEquals(List.of(), list(parent.resolve("vdfs-segment-" + other)));
    }
  }

  @Test
  void shouldWriteIntoTheSlotThatWasTakenAndNowhereElse() throws IOException {
    SegmentSession session = delivery.begin();
    Path segment = session.open();
    assertEquals(segment, session.open(), "one segment for a session");
    assertTrue(session.take(1));

    session.write(1, 3, ByteBuffer.wrap(new byte[] {7, 8, 9}));

    byte[] expected = new byte[3000];
    expected[1003] = 7;
    expected[1004] = 8;
    expected[1005] = 9;
    assertArrayEquals(expected, Files.readAllBytes(segment));
    for (int offset : new int[] {-1, 998, 1000, Integer.MAX_VALUE}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> session.write(1, offset, ByteBuffer.wrap(new byte[3])));
    }
    assertArrayEquals(expected, Files.readAllBytes(segment));
  }

  @Test
  void shouldNotBelieveTheSlotsThatAReaderNames() throws IOException {
    SegmentSession session = delivery.begin();
    assertFalse(session.take(0), "there is no segment yet");
    session.open();

    for (int slot : new int[] {-1, 3, 64, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertFalse(session.take(slot), () -> "slot=" + slot);
    }
    assertTrue(session.take(2));
    assertFalse(session.take(2), "it is being written");
    session.give(2);
    assertTrue(session.take(2));
  }

  @Test
  void shouldNotTouchAForeignFileUnderTheNameOfASegment() throws IOException {
    delivery.close();
    delivery = start(new KnownNames()).orElseThrow();
    Path guessed = directory.resolve("5a".repeat(16));
    Path victim = Files.writeString(parent.resolve("victim"), "precious");
    Files.createSymbolicLink(guessed, victim);
    SegmentSession session = delivery.begin();

    assertRefused(session);
    assertEquals("precious", Files.readString(victim));
    assertTrue(Files.isSymbolicLink(guessed), "what we did not make we do not remove");

    Files.delete(guessed);
    Files.writeString(guessed, "planted");
    assertRefused(session);
    assertEquals("planted", Files.readString(guessed));
    assertEquals(2, delivery.counters().get(SegmentCounter.SEGMENTS_REFUSED));

    Files.delete(guessed);
    assertEquals(guessed, session.open(), "and it still would have taken that name");
  }

  @Test
  void shouldRefuseAndLeaveNothingWhereMemoryIsFull() throws IOException {
    disk.room = 2999;
    SegmentSession session = delivery.begin();

    assertRefused(session);
    assertRefused(session);
    assertRefused(session);

    assertEquals(3, disk.refusals);
    assertEquals(List.of(), list(directory));
    disk.room = Long.MAX_VALUE;
    session.open();
    delivery.begin().open();
    assertEquals(2, list(directory).size(), "what was refused takes no share");
  }

  @Test
  void shouldRefuseWhateverGoesWrongWhileASegmentIsMade() throws IOException {
    disk.fault = new LinkageError("planted");
    SegmentSession session = delivery.begin();

    assertRefused(session);

    assertEquals(1, delivery.counters().get(SegmentCounter.SEGMENTS_REFUSED));
    assertEquals(List.of(), list(directory));
    disk.fault = null;
    session.open();
    delivery.begin().open();
    assertEquals(2, list(directory).size(), "what was refused takes no share");
  }

  @Test
  void shouldFailTheFillWhereMemoryBecomesFull() throws IOException {
    SegmentSession session = delivery.begin();
    session.open();
    assertTrue(session.take(0));
    disk.room = 0;

    VdfsException full =
        assertThrows(VdfsException.class, () -> session.write(0, 0, ByteBuffer.wrap(new byte[10])));

    assertEquals(ErrorCode.UNSUPPORTED, full.code());
    assertTrue(full.getMessage().contains("No space left"), full.getMessage());
    assertEquals(1, disk.refusals);
  }

  @Test
  void shouldKeepAllSegmentsWithinTheirMemory() throws IOException {
    SegmentSession first = delivery.begin();
    first.open();
    delivery.begin().open();
    SegmentSession third = delivery.begin();

    assertRefused(third);
    first.close();
    third.open();

    assertEquals(2, list(directory).size());
  }

  @Test
  void shouldEndASegmentUnderItsWriter() throws IOException {
    SegmentSession session = delivery.begin();
    Path segment = session.open();
    assertTrue(session.take(0));

    session.close();
    session.close();

    assertFalse(Files.exists(segment));
    VdfsException over =
        assertThrows(VdfsException.class, () -> session.write(0, 0, ByteBuffer.allocate(1)));
    assertEquals(ErrorCode.UNSUPPORTED, over.code());
    session.give(0);
    assertFalse(session.take(0));
    assertRefused(session);
    assertEquals(1, delivery.counters().get(SegmentCounter.SEGMENTS_REMOVED));
  }

  @Test
  void shouldFreeTheMemoryOfASegmentThatItsReaderKeepsOpen() throws IOException {
    SegmentSession session = delivery.begin();
    try (FileChannel kept = FileChannel.open(session.open())) {
      assertEquals(LAYOUT.bytes(), kept.size());

      session.close();

      assertEquals(0, kept.size());
    }
  }

  @Test
  void shouldFreeTheMemoryOfASegmentWhoseNameIsGone() throws IOException {
    SegmentSession session = delivery.begin();
    Path segment = session.open();
    try (FileChannel kept = FileChannel.open(segment)) {
      Files.delete(segment);

      session.close();

      assertEquals(0, kept.size());
    }
  }

  @Test
  void shouldNotLetAWriterGrowASegmentThatEnded() throws Exception {
    for (int round = 0; round < 200; round++) {
      SegmentSession session = delivery.begin();
      Path segment = session.open();
      CountDownLatch writing = new CountDownLatch(1);
      CompletableFuture<VdfsException> end =
          CompletableFuture.supplyAsync(() -> writeUntilItEnds(session, writing));
      try (FileChannel kept = FileChannel.open(segment)) {
        assertTrue(writing.await(20, TimeUnit.SECONDS));

        session.close();

        assertEquals(ErrorCode.UNSUPPORTED, end.get(20, TimeUnit.SECONDS).code());
        assertEquals(0, kept.size());
      }
    }
  }

  private static VdfsException writeUntilItEnds(SegmentSession session, CountDownLatch writing) {
    try {
      while (true) {
        session.write(2, 0, ByteBuffer.allocate(LAYOUT.slotBytes()));
        writing.countDown();
      }
    } catch (VdfsException e) {
      return e;
    }
  }

  @Test
  void shouldWriteOnWhereAnotherProcessCutTheSegment() throws IOException {
    SegmentSession session = delivery.begin();
    Path segment = session.open();
    Files.write(segment, new byte[0]);
    assertEquals(0, Files.size(segment));
    assertTrue(session.take(1));

    session.write(1, 0, ByteBuffer.wrap(new byte[] {4}));

    assertEquals(1001, Files.size(segment));
  }

  @Test
  void shouldRemoveWhatAKilledRunLeftAndNothingElse() throws IOException {
    Path stale = delivery.begin().open();
    Path victim = Files.writeString(parent.resolve("victim"), "precious");
    Files.createSymbolicLink(directory.resolve("link"), victim);
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertEquals(2, list(directory).size());

    try (SegmentDelivery next = start(new SecureRandom()).orElseThrow()) {
      assertFalse(Files.exists(stale));
      assertEquals(List.of(), list(directory));
      assertEquals("rwx--x--x", mode(directory), "whatever it was before");
      assertEquals("precious", Files.readString(victim));
      assertEquals(2, next.counters().get(SegmentCounter.SEGMENTS_FOUND));
    }
  }

  @Test
  void shouldFreeTheMemoryThatAKilledRunLeftToItsReaders() throws IOException {
    Path stale = delivery.begin().open();
    Path victim = Files.writeString(parent.resolve("victim"), "precious");
    Files.createLink(directory.resolve("second-name"), victim);
    try (FileChannel kept = FileChannel.open(stale);
        SegmentDelivery next = start(new SecureRandom()).orElseThrow()) {
      assertEquals(0, kept.size());
      assertEquals(2, next.counters().get(SegmentCounter.SEGMENTS_FOUND));
    }
    assertEquals("precious", Files.readString(victim));
  }

  @Test
  void shouldRemoveWhatAKilledRunLeftAlsoWhereThereIsNoRingAnyMore() throws IOException {
    Path stale = delivery.begin().open();
    SegmentSettings settings = new SegmentSettings(parent, Optional.empty(), 0, LAYOUT);

    SegmentDelivery.clear(settings, NodeId.random());
    assertTrue(Files.exists(stale), "another node's");
    SegmentDelivery.clear(settings, node);

    assertEquals(List.of(), list(parent));
  }

  @Test
  void shouldLeaveNothingBehindWhenItEnds() throws IOException {
    delivery.begin().open();

    delivery.close();

    assertEquals(List.of(), list(parent));
  }

  @Test
  void shouldHaveNoRingWhereItsDirectoryIsSomethingElse() throws IOException {
    delivery.close();
    Files.writeString(directory, "squatted");
    assertEquals(Optional.empty(), start(new SecureRandom()));
    assertEquals("squatted", Files.readString(directory));

    Files.delete(directory);
    Path elsewhere = Files.createDirectory(parent.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("precious"), "precious");
    Files.createSymbolicLink(directory, elsewhere);
    assertEquals(Optional.empty(), start(new SecureRandom()));
    assertEquals(1, list(elsewhere).size());

    SegmentSettings nowhere =
        new SegmentSettings(parent.resolve("none"), Optional.empty(), 3000, LAYOUT);
    assertEquals(Optional.empty(), SegmentDelivery.open(nowhere, node));
  }

  @Test
  void shouldHaveNoRingWhereOthersMayRemoveWhatIsOurs() throws IOException {
    delivery.close();
    for (int mode : new int[] {0777, 0775, 0770}) {
      Files.setAttribute(parent, "unix:mode", mode);
      assertEquals(Optional.empty(), start(new SecureRandom()), () -> "mode=" + mode);
      assertEquals(List.of(), list(parent));
    }

    for (int mode : new int[] {01777, 01775, 0755}) {
      Files.setAttribute(parent, "unix:mode", mode);
      start(new SecureRandom()).orElseThrow().close();
    }
  }

  /** Needs root, to give the directory away. */
  @Test
  @EnabledIf("isRoot")
  void shouldMakeNoSegmentsInTheDirectoryOfAnotherUser() throws IOException {
    delivery.close();
    Files.createDirectory(directory);
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path planted = Files.writeString(directory.resolve("planted"), "x");
    Files.setOwner(
        directory,
        directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));

    assertEquals(Optional.empty(), start(new SecureRandom()));

    assertTrue(Files.exists(planted), "nothing is removed there");
    assertEquals("rwxrwxrwx", mode(directory));
  }

  /** Needs root, to become another user. */
  @Test
  @EnabledIf("canBecomeAnotherUser")
  void shouldBeClosedToOtherUsersWhoKnowTheName() throws IOException, InterruptedException {
    SegmentSession session = delivery.begin();
    Path segment = session.open();
    Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxrwxrwx"));
    String attack =
        "cat "
            + segment
            + " && exit 1; echo x >>"
            + segment
            + " && exit 1; ls "
            + directory
            + " && exit 1; rm -f "
            + segment
            + " && exit 1; touch "
            + directory.resolve("mine")
            + " && exit 1; exit 0";

    Process other =
        new ProcessBuilder(
                "/usr/bin/setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                "sh",
                "-c",
                attack)
            .redirectErrorStream(true)
            .start();
    String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertEquals(0, other.waitFor(), said);
    assertTrue(said.contains("ermission denied"), said);
    assertArrayEquals(new byte[3000], Files.readAllBytes(segment));
    assertEquals(List.of(segment), list(directory));
  }

  static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  static boolean canBecomeAnotherUser() {
    return isRoot() && Files.isExecutable(Path.of("/usr/bin/setpriv"));
  }

  private static void assertRefused(SegmentSession session) {
    VdfsException refused = assertThrows(VdfsException.class, session::open);
    assertEquals(ErrorCode.UNSUPPORTED, refused.code());
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static PosixFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    }
  }
}
