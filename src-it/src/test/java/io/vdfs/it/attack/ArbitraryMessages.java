package io.vdfs.it.attack;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import java.util.List;
import java.util.Random;

/** Makes messages whose fields are set or not, with arbitrary values, at every depth. */
final class ArbitraryMessages {
  private static final long[] NUMBERS = {
    0, 1, 2, 255, 4_096, Integer.MAX_VALUE, 1L << 31, 0xffff_ffffL, Long.MAX_VALUE, -1
  };
  private static final int UNKNOWN_FIELD = 9_999;

  private final Random random;
  private final List<String> texts;

  /**
   * @param texts from which each text is chosen
   */
  ArbitraryMessages(long seed, List<String> texts) {
    this.random = new Random(seed);
    this.texts = List.copyOf(texts);
  }

  /** Fills {@code message} with arbitrary values; at most one field of each choice. */
  Message fill(Message.Builder message) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (random.nextInt(4) == 0 || (isChoice(field) && random.nextBoolean())) {
        continue;
      }
      if (field.isRepeated()) {
        for (int n = random.nextInt(3); n > 0; n--) {
          message.addRepeatedField(field, value(field, message));
        }
      } else {
        message.setField(field, value(field, message));
      }
    }
    if (random.nextInt(8) == 0) {
      message.setUnknownFields(
          UnknownFieldSet.newBuilder()
              .addField(UNKNOWN_FIELD, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
              .build());
    }
    return message.build();
  }

  /** As {@link #fill}, with this field of a choice. */
  Message with(Message.Builder message, FieldDescriptor chosen) {
    return fill(message).toBuilder().setField(chosen, value(chosen, message)).build();
  }

  private static boolean isChoice(FieldDescriptor field) {
    return field.getRealContainingOneof() != null;
  }

  private Object value(FieldDescriptor field, Message.Builder parent) {
    long number = NUMBERS[random.nextInt(NUMBERS.length)];
    return switch (field.getJavaType()) {
      case INT -> (int) number;
      case LONG -> number;
      case FLOAT -> (float) number;
      case DOUBLE -> (double) number;
      case BOOLEAN -> random.nextBoolean();
      case STRING -> texts.get(random.nextInt(texts.size()));
      case BYTE_STRING ->
          ByteString.copyFrom(new byte[random.nextBoolean() ? 16 : random.nextInt(40)]);
      case ENUM -> field.getEnumType().findValueByNumberCreatingIfUnknown(random.nextInt(7));
      case MESSAGE -> fill(parent.newBuilderForField(field));
    };
  }
}
