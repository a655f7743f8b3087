package io.vdfs.client.write;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.client.io.BufferBudget;
import io.vdfs.common.checksum.Crc32c;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GroupChecksumTest {
  private static final int CHUNK = 64;
  private static final int RUNS = 500;

  private final BufferBudget budget = BufferBudget.JVM;

  private static int of(byte[] content, int from, int to) {
    return Crc32c.of(ByteBuffer.wrap(content, from, to - from));
  }

  private static byte[] content(Random random) {
    byte[] content = new byte[1 + random.nextInt(20 * CHUNK)];
    random.nextBytes(content);
    return content;
  }

  /** As a writer sends it, with flushes anywhere. */
  private void send(byte[] content, int from, Random random, GroupChecksum checksum) {
    byte[] tail = Arrays.copyOfRange(content, from - from % CHUNK, from);
    PacketBuilder builder = new PacketBuilder(budget, CHUNK, 4 * CHUNK, from, tail);
    int at = from;
    while (at < content.length) {
      at += builder.append(content, at, Math.min(content.length - at, 1 + random.nextInt(100)));
      if (builder.isFull() || random.nextInt(4) == 0) {
        add(builder.seal(Packet.Purpose.FLUSH), checksum);
      }
      if (random.nextInt(8) == 0) {
        add(builder.marker(Packet.Purpose.SYNC), checksum);
      }
    }
    add(builder.seal(Packet.Purpose.LAST), checksum);
    builder.release();
  }

  private static void add(Packet packet, GroupChecksum checksum) {
    checksum.add(packet);
    packet.release();
  }

  @Test
  void shouldBeThatOfAllBytesHoweverTheyAreSent() {
    for (int seed = 0; seed < RUNS; seed++) {
      Random random = new Random(seed);
      byte[] content = content(random);
      GroupChecksum checksum = new GroupChecksum(CHUNK, 0, true, 0);
      send(content, 0, random, checksum);
      assertEquals(of(content, 0, content.length), checksum.value(), "seed=" + seed);
    }
  }

  @Test
  void shouldGoOnWithWhatTheFileHas() {
    for (int seed = 0; seed < RUNS; seed++) {
      Random random = new Random(seed);
      byte[] content = content(random);
      int start = random.nextInt(content.length);
      GroupChecksum checksum = new GroupChecksum(CHUNK, start, true, of(content, 0, start));
      send(content, start, random, checksum);
      assertEquals(of(content, 0, content.length), checksum.value(), "seed=" + seed);
    }
  }

  @Test
  void shouldSayNothingWhereItDoesNotKnowWhatTheFileHas() {
    Random random = new Random(1);
    byte[] content = content(random);
    GroupChecksum checksum = new GroupChecksum(CHUNK, 1, false, 0);
    send(content, 1, random, checksum);
    assertEquals(0, checksum.value());
  }
}
