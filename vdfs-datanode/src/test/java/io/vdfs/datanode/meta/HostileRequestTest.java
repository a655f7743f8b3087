package io.vdfs.datanode.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.SetXAttrOp;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests with arbitrary values in all fields: never an exception, never a defect. */
class HostileRequestTest {
  private static final int REQUESTS = 20_000;
  private static final List<String> TEXTS =
      List.of(
          "",
          "/",
          "/a",
          "/a/f",
          "/a/open",
          "/a/b/c",
          "/x",
          "/x/y",
          "a",
          "//",
          "/..",
          "\0",
          "alice",
          "users",
          "vdfs",
          "user.a",
          "trusted.b",
          "user.",
          "\ud83d\ude00",
          "/" + "z".repeat(300),
          "/q".repeat(2_000));
  private static final long[] NUMBERS = {
    0,
    1,
    2,
    3,
    255,
    256,
    01777,
    4_095,
    4_096,
    10_000,
    0x7fff_ffffL,
    0x8000_0000L,
    0xffff_ffffL,
    1L << 50,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -1
  };

  private final MetadataHarness meta = new MetadataHarness();
  private long[] fileIds;

  private void fill() {
    meta.mkdir("/a/b/c");
    fileIds = new long[] {meta.file("/a/f", 10_000), meta.open("/a/open", 1).getFileId()};
    meta.ok(
        meta.request()
            .setSetXattr(
                SetXAttrOp.newBuilder()
                    .setPath("/a/f")
                    .setName("user.a")
                    .setValue(ByteString.EMPTY)));
    meta.mkdir("/gone/x");
    meta.ok(meta.delete("/gone", true));
  }

  private Object value(FieldDescriptor field, Message.Builder parent, Random random) {
    long number =
        field.getName().equals("file_id") && random.nextBoolean()
            ? fileIds[random.nextInt(fileIds.length)]
            : NUMBERS[random.nextInt(NUMBERS.length)];
    return switch (field.getJavaType()) {
      case INT -> (int) number;
      case LONG -> number;
      case DOUBLE -> (double) number / 7;
      case BOOLEAN -> random.nextBoolean();
      case STRING -> TEXTS.get(random.nextInt(TEXTS.size()));
      case BYTE_STRING ->
          random.nextInt(4) == 0
              ? ByteString.copyFrom(new byte[random.nextInt(40)])
              : MetadataHarness.id(1 + random.nextInt(3));
      case ENUM -> field.getEnumType().findValueByNumberCreatingIfUnknown(random.nextInt(7));
      case MESSAGE -> arbitrary(parent.newBuilderForField(field), random);
      default -> throw new IllegalStateException("field=" + field);
    };
  }

  private Message arbitrary(Message.Builder message, Random random) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.getRealContainingOneof() != null || random.nextInt(8) == 0) {
        continue;
      }
      for (int n = field.isRepeated() ? random.nextInt(4) : 0; n > 0; n--) {
        message.addRepeatedField(field, value(field, message, random));
      }
      if (!field.isRepeated()) {
        message.setField(field, value(field, message, random));
      }
    }
    return message.build();
  }

  private MetaRequest request(Random random) {
    MetaRequest.Builder request = MetaRequest.newBuilder();
    request.mergeFrom(arbitrary(MetaRequest.newBuilder(), random));
    List<FieldDescriptor> kinds = MetaRequest.getDescriptor().getOneofs().get(0).getFields();
    FieldDescriptor kind = kinds.get(random.nextInt(kinds.size()));
    request.setField(kind, arbitrary(request.newBuilderForField(kind), random));
    if (random.nextInt(3) > 0) {
      request.setCaller(random.nextBoolean() ? MetadataHarness.ROOT : MetadataHarness.ALICE);
    }
    if (random.nextInt(3) > 0) {
      request.clearCallId();
    }
    return request.build();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldAnswerWhateverIsAsked(long seed) throws IOException {
    Random random = new Random(seed);
    fill();
    int accepted = 0;
    for (int i = 0; i < REQUESTS; i++) {
      MetaRequest request = request(random);
      MetaResponse applied = meta.state().apply(request);
      MetaResponse asked = meta.state().query(request);
      accepted += applied.hasError() ? 0 : 1;
      for (MetaResponse response : List.of(applied, asked)) {
        assertNotEquals(
            ErrorCode.INTERNAL.name(), response.getError().getCode(), request::toString);
        assertNotEquals(
            response.hasError(),
            response.getResultCase() != MetaResponse.ResultCase.RESULT_NOT_SET,
            response::toString);
      }
    }
    assertTrue(accepted > REQUESTS / 50, "hardly any request was accepted: accepted=" + accepted);
    assertEquals(meta.saved(), meta.reloaded().saved());
  }
}
