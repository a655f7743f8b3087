package io.vdfs.common.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.proto.WritePacket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameCodecTest {
  @Test
  void shouldReadWhatItWroteHoweverTheBytesAreCut() {
    Random random = new Random(5);
    List<byte[]> payloads = new ArrayList<>();
    ByteBuf wire = Unpooled.buffer();
    for (int i = 0; i < 20; i++) {
      byte[] payload = new byte[i == 7 ? FrameDescriptor.MAX_PAYLOAD : random.nextInt(3000)];
      random.nextBytes(payload);
      payloads.add(payload);
      wire.writeBytes(encoded(new Frame(type(i), i, header(i), Unpooled.wrappedBuffer(payload))));
    }

    EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder());
    while (wire.isReadable()) {
      int bytes = Math.min(wire.readableBytes(), 1 + random.nextInt(20_000));
      channel.writeInbound(wire.readRetainedSlice(bytes));
    }
    wire.release();

    for (int i = 0; i < payloads.size(); i++) {
      Frame frame = channel.readInbound();
      assertEquals(type(i), frame.type());
      assertEquals(i, frame.streamId());
      assertEquals(header(i), frame.header());
      assertEquals(Unpooled.wrappedBuffer(payloads.get(i)), frame.payload());
      assertEquals(1, frame.refCnt());
      frame.release();
    }
    assertNull(channel.readInbound());
    assertTrue(!channel.finish());
  }

  @Test
  void shouldHandOnAFrameWithItsLastByte() {
    int[][] shapes = {{0, 0}, {30, 0}, {0, 9}, {30, 9}};
    EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder());
    for (int[] shape : shapes) {
      byte[] bytes =
          encoded(
              new Frame(
                  FrameType.WRITE_ACK,
                  4,
                  ByteString.copyFrom(new byte[shape[0]]),
                  Unpooled.buffer(16).writeZero(shape[1])));
      for (int i = 0; i < bytes.length; i++) {
        assertNull(channel.readInbound());
        channel.writeInbound(Unpooled.wrappedBuffer(bytes, i, 1));
      }
      Frame frame = channel.readInbound();
      assertEquals(shape[0], frame.header().size());
      assertEquals(shape[1], frame.payload().readableBytes());
      frame.release();
    }
    assertTrue(!channel.finish());
  }

  @Test
  void shouldReleaseAHalfReadPayloadWhenTheConnectionEnds() {
    byte[] bytes =
        encoded(
            new Frame(
                FrameType.WRITE_PACKET, 1, header(3), Unpooled.wrappedBuffer(new byte[5000])));
    EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder());
    channel.writeInbound(Unpooled.wrappedBuffer(bytes, 0, 2000));

    assertTrue(!channel.finish());
    assertNull(channel.readInbound());
  }

  @Test
  void shouldRefuseFixedPartsThatNoPeerSends() {
    assertRefused(11, 1, 1, 0, "length");
    assertRefused(FrameDescriptor.MAX_LENGTH + 1, 1, 1, 0, "length");
    assertRefused(-1, 1, 1, 0, "length");
    assertRefused(Integer.MIN_VALUE, 1, 1, 0, "length");
    assertRefused(100, 0, 1, 0, "version");
    assertRefused(100, 2, 1, 0, "version");
    assertRefused(100, 1, 0, 0, "type");
    assertRefused(100, 1, FrameType.values().length + 1, 0, "type");
    assertRefused(100, 1, 200, 0, "type");
    assertRefused(100, 1, 1, 89, "header");
    assertRefused(FrameDescriptor.MAX_LENGTH, 1, 1, 0, "payload");
    for (FrameType type : FrameType.values()) {
      if (type.maxHeader() < FrameType.MAX_HEADER) {
        assertRefused(100_000, 1, type.code(), type.maxHeader() + 1, "header too large");
      }
    }
  }

  @Test
  void shouldHaveRoomForTheLargestPacketOfTheSmallestChunks() {
    WritePacket packet =
        WritePacket.newBuilder()
            .setSequence(Long.MIN_VALUE)
            .setOffset(-1)
            .setChecksums(ByteString.copyFrom(new byte[FrameDescriptor.MAX_PAYLOAD / 512 * 4]))
            .setFlush(true)
            .setSync(true)
            .setLast(true)
            .build();

    assertTrue(packet.getSerializedSize() <= FrameType.WRITE_PACKET.maxHeader());
  }

  @Test
  void shouldRefuseAnyBitFlippedBeforeThePayload() {
    byte[] sound =
        encoded(new Frame(FrameType.WRITE_ACK, 5, header(2), Unpooled.buffer(16).writeZero(10)));
    int start = FrameDescriptor.FIXED_SIZE + header(2).size();
    for (int bit = 0; bit < start * 8; bit++) {
      byte[] damaged = sound.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder());
      Frame frame = null;
      try {
        channel.writeInbound(Unpooled.wrappedBuffer(damaged), Unpooled.buffer(64).writeZero(64));
        frame = channel.readInbound();
      } catch (DecoderException refused) {
        assertInstanceOf(VdfsException.class, refused.getCause());
      }
      assertNull(frame, "bit=" + bit);
      channel.finishAndReleaseAll();
    }
  }

  @Test
  void shouldRefuseToWriteWhatDoesNotFit() {
    EmbeddedChannel channel = new EmbeddedChannel(FrameEncoder.INSTANCE);
    Frame frame =
        new Frame(
            FrameType.READ_DATA,
            1,
            ByteString.EMPTY,
            Unpooled.wrappedBuffer(new byte[FrameDescriptor.MAX_PAYLOAD + 1]));

    assertThrows(RuntimeException.class, () -> channel.writeOutbound(frame));
    assertEquals(0, frame.refCnt());
  }

  private static void assertRefused(
      int length, int version, int type, int headerLength, String named) {
    EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder());
    ByteBuf bytes = Unpooled.buffer();
    bytes.writeInt(length).writeByte(version).writeByte(type).writeShort(headerLength).writeLong(1);
    bytes.writeZero(200);

    DecoderException refused =
        assertThrows(DecoderException.class, () -> channel.writeInbound(bytes));
    assertInstanceOf(VdfsException.class, refused.getCause());
    assertTrue(refused.getMessage().contains(named), refused.getMessage());
    channel.writeInbound(Unpooled.wrappedBuffer(new byte[500]));
    assertNull(channel.readInbound());
    channel.finish();
  }

  private static byte[] encoded(Frame frame) {
    EmbeddedChannel channel = new EmbeddedChannel(FrameEncoder.INSTANCE);
    channel.writeOutbound(frame);
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      all.writeBytes(part);
      part.release();
    }
    assertEquals(0, frame.refCnt());
    return ByteBufUtil.getBytes(all);
  }

  private static FrameType type(int i) {
    return FrameType.ofCode((byte) (1 + i % 7)).orElseThrow();
  }

  private static ByteString header(int i) {
    return ByteString.copyFrom(new byte[i * 10]);
  }
}
