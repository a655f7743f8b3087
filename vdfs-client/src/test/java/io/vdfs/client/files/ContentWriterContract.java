package io.vdfs.client.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What every {@link ContentWriter}, the fake one too, promises about its end. */
public abstract class ContentWriterContract {
  private static final byte[] CONTENT = bytes(10_000);

  /** A writer of a file without bytes. */
  protected abstract ContentWriter create() throws IOException;

  /** Whether the file still waits for its writer to complete it. */
  protected abstract boolean isOpenForWriting() throws IOException;

  /** The bytes that readers see. */
  protected abstract byte[] content() throws IOException;

  /** Makes every write fail until {@link #mend()}. */
  protected abstract void fail();

  protected abstract void mend();

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private ContentWriter written() throws IOException {
    ContentWriter writer = create();
    writer.write(CONTENT, 0, CONTENT.length);
    assertEquals(CONTENT.length, writer.position());
    return writer;
  }

  @Test
  void shouldCompleteTheFileWhenClosed() throws IOException {
    ContentWriter writer = written();

    writer.close();
    writer.close();
    writer.abort();
    writer.close();

    assertFalse(isOpenForWriting());
    assertArrayEquals(CONTENT, content());
  }

  @Test
  void shouldRefuseEverythingOnceClosed() throws IOException {
    ContentWriter writer = written();
    writer.close();

    assertRefusesAll(writer);
    assertArrayEquals(CONTENT, content());
  }

  @Test
  void shouldThrowWhenAFileThatWasGivenUpIsClosed() throws IOException {
    ContentWriter writer = written();
    writer.abort();
    writer.abort();

    VdfsException e = assertThrows(VdfsException.class, writer::close);
    assertEquals(ErrorCode.UNAVAILABLE, e.code());
    assertTrue(e.getMessage().contains("aborted"), e.getMessage());
    writer.close();
    assertTrue(isOpenForWriting());
  }

  @Test
  void shouldRefuseEverythingOnceGivenUp() throws IOException {
    ContentWriter writer = written();
    writer.flush();
    writer.abort();

    assertRefusesAll(writer);
    assertThrows(VdfsException.class, writer::close);
    assertRefusesAll(writer);
  }

  @Test
  void shouldStayDeadAfterAFailure() throws IOException {
    ContentWriter writer = written();
    writer.flush();
    fail();
    writer.write(CONTENT, 0, 1);
    assertThrows(VdfsException.class, writer::sync);
    mend();

    assertRefusesAll(writer);
    assertThrows(VdfsException.class, writer::close);
    writer.close();
    assertTrue(isOpenForWriting());
  }

  @Test
  void shouldLeaveTheFileOpenWhenItCannotBeCompleted() throws IOException {
    ContentWriter writer = written();
    writer.flush();
    writer.write(CONTENT, 0, 1);
    fail();

    assertThrows(VdfsException.class, writer::close);
    mend();
    writer.close();
    assertRefusesAll(writer);
    assertTrue(isOpenForWriting());
  }

  private static void assertRefusesAll(ContentWriter writer) {
    assertThrows(VdfsException.class, () -> writer.write(CONTENT, 0, 1));
    assertThrows(VdfsException.class, writer::flush);
    assertThrows(VdfsException.class, writer::sync);
  }
}
