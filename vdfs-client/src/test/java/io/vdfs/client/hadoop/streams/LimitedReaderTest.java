package io.vdfs.client.hadoop.streams;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.files.ContentCursor;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.read.FetchListener;
import io.vdfs.client.read.ReadPattern;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class LimitedReaderTest {
  private static final int LIMIT = 40;

  private final byte[] content = new byte[100];
  private final ContentReader reader = new LimitedReader("/f", new InMemory(), LIMIT);

  LimitedReaderTest() {
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (i * 7);
    }
  }

  @Test
  void shouldReadNothingBehindItsLimit() throws IOException {
    byte[] read = new byte[content.length];
    assertEquals(LIMIT, reader.read(0, ByteBuffer.wrap(read)));
    assertArrayEquals(Arrays.copyOf(content, LIMIT), Arrays.copyOf(read, LIMIT));
    assertEquals(-1, reader.read(LIMIT, ByteBuffer.wrap(read)));
  }

  @Test
  void shouldFillFromMemoryUpToItsLimit() throws IOException {
    ContentCursor cursor = reader.cursor(ReadPattern.ADAPTIVE);
    byte[] read = new byte[LIMIT + 1];
    assertTrue(cursor.readFromMemory(ByteBuffer.wrap(read, 0, 30)));

    ByteBuffer more = ByteBuffer.wrap(read, 30, 11);
    assertFalse(cursor.readFromMemory(more));
    assertEquals(11, more.remaining());
    assertEquals(30, cursor.position());

    assertTrue(cursor.readFromMemory(ByteBuffer.wrap(read, 30, 10)));
    assertFalse(cursor.readFromMemory(ByteBuffer.wrap(read, LIMIT, 1)));
    assertEquals(-1, cursor.read(ByteBuffer.wrap(read, LIMIT, 1)));
    assertArrayEquals(Arrays.copyOf(content, LIMIT), Arrays.copyOf(read, LIMIT));
  }

  /** All of the content, whose cursors need no other way than the short one. */
  private final class InMemory implements ContentReader {
    @Override
    public int read(long position, ByteBuffer target) {
      int length = (int) Math.min(target.remaining(), content.length - position);
      target.put(content, (int) position, length);
      return length;
    }

    @Override
    public ContentCursor cursor(ReadPattern pattern) {
      return new ContentCursor() {
        private long position;

        @Override
        public int read(ByteBuffer target) {
          int length = InMemory.this.read(position, target);
          position += length;
          return length;
        }

        @Override
        public boolean readFromMemory(ByteBuffer target) {
          return target.remaining() <= content.length - position && read(target) > 0;
        }

        @Override
        public long position() {
          return position;
        }

        @Override
        public void seek(long target) {
          position = target;
        }

        @Override
        public void release() {
          // holds nothing
        }
      };
    }

    @Override
    public ContentReader telling(ReadTally tally) {
      return this;
    }

    @Override
    public long length() {
      return content.length;
    }

    @Override
    public void listen(FetchListener listener) {
      // nothing is fetched
    }
  }
}
