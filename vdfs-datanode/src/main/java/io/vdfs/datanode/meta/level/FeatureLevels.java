package io.vdfs.datanode.meta.level;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.MetaRequest;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The parts of a log that a release can carry out: each operation, and each part of one that came
 * later, with the lowest feature level at which it may stand there. Immutable.
 *
 * <p>Members of several releases read one log. An operation that one of them does not know, or
 * knows otherwise, would make it differ from the others, so nothing is logged above the level in
 * force, which is raised once all members can.
 */
public final class FeatureLevels {
  /** The level in force in a new cluster; nothing below it is read. */
  public static final int FIRST = LoggedOperations.FIRST;

  /** The level from which on writers' checksums of groups may stand in a log. */
  public static final int GROUP_CHECKSUMS = LoggedOperations.GROUP_CHECKSUMS;

  /** From which on spares do not count as holders of what a keeper lacks. */
  public static final int SPARES_LACK = LoggedOperations.SPARES_LACK;

  /** From which on a replacement with fewer copies than its target asks for is refused. */
  public static final int REPLACEMENT_COPIES = LoggedOperations.REPLACEMENT_COPIES;

  private static final FeatureLevels OF_THIS_RELEASE =
      new FeatureLevels(
          LoggedOperations.NEWEST, RequestCatalogue.levels(), LoggedOperations.ADDITIONS);

  private final int newest;
  private final Map<FieldDescriptor, Integer> operations;
  private final Map<String, Integer> additions;
  private final Map<Descriptor, Parts> parts;

  /**
   * The parts to check in messages of one type.
   *
   * @param choices of which one must be made
   * @param nested messages
   * @param enums whose value must be known
   * @param added that came later than the message
   */
  private record Parts(
      List<OneofDescriptor> choices,
      List<FieldDescriptor> nested,
      List<FieldDescriptor> enums,
      List<FieldDescriptor> added) {}

  /**
   * @param newest level that can be carried out
   * @param operations level of each case of each choice that a logged request has
   * @param additions level of fields and of enum values, by full name, that came later than what
   *     they stand in
   */
  public FeatureLevels(
      int newest, Map<FieldDescriptor, Integer> operations, Map<String, Integer> additions) {
    this.newest = newest;
    this.operations = Collections.unmodifiableMap(new LinkedHashMap<>(operations));
    this.additions = Map.copyOf(additions);
    Map<Descriptor, Parts> found = new HashMap<>();
    find(MetaRequest.getDescriptor(), found);
    this.parts = Map.copyOf(found);
  }

  /** The levels of this release. */
  public static FeatureLevels ofThisRelease() {
    return OF_THIS_RELEASE;
  }

  private void find(Descriptor type, Map<Descriptor, Parts> found) {
    if (found.containsKey(type)) {
      return;
    }
    List<FieldDescriptor> fields =
        type.getFields().stream().filter(field -> field.getRealContainingOneof() == null).toList();
    List<FieldDescriptor> nested =
        fields.stream().filter(field -> field.getJavaType() == JavaType.MESSAGE).toList();
    found.put(
        type,
        new Parts(
            type.getRealOneofs(),
            nested,
            fields.stream().filter(field -> field.getJavaType() == JavaType.ENUM).toList(),
            fields.stream().filter(field -> additions.containsKey(field.getFullName())).toList()));
    nested.forEach(field -> find(field.getMessageType(), found));
    type.getRealOneofs().stream()
        .flatMap(choice -> choice.getFields().stream())
        .filter(operations::containsKey)
        .filter(field -> field.getJavaType() == JavaType.MESSAGE)
        .forEach(field -> find(field.getMessageType(), found));
  }

  /** The highest level that can be carried out. */
  public int newest() {
    return newest;
  }

  /**
   * @param what a log entry or a snapshot
   * @param level that it names
   * @throws VdfsException UNSUPPORTED, naming both levels and the cure, if this release can't read
   *     it
   */
  public void requireReadable(String what, int level) throws VdfsException {
    if (level > newest) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED,
          ("%s is above the feature level of this release: needed=%d, newest=%d; install the"
                  + " release of the other metadata members on this node and start it again")
              .formatted(what, level, newest));
    }
    if (level < FIRST) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED,
          ("%s is below the feature levels of this release: level=%d, oldest=%d; run the release"
                  + " that wrote it, or format the cluster anew")
              .formatted(what, level, FIRST));
    }
  }

  /** The level of each case of each choice that a logged request has. */
  public Map<FieldDescriptor, Integer> operations() {
    return operations;
  }

  /**
   * The level at which a log goes on after these requests.
   *
   * @param inForce before them
   */
  public int after(List<MetaRequest> requests, int inForce) {
    int level = inForce;
    for (MetaRequest request : requests) {
      if (request.hasRaiseLevel()) {
        level = Math.max(level, request.getRaiseLevel().getLevel());
      }
    }
    return level;
  }

  /**
   * Refuses what must not stand in a log now.
   *
   * @param inForce the level in force
   * @throws VdfsException UNSUPPORTED where it names no operation at some depth, has anything that
   *     this release does not know, or is above the level in force
   */
  public void requireLoggable(MetaRequest request, int inForce) throws VdfsException {
    int level = levelOf(request);
    if (request.hasRaiseLevel()) {
      int raised = request.getRaiseLevel().getLevel();
      if (raised <= inForce || raised > newest) {
        throw new VdfsException(
            ErrorCode.UNSUPPORTED,
            "the feature level cannot be raised so: level=%d, inForce=%d, newest=%d"
                .formatted(raised, inForce, newest));
      }
    }
    if (level > inForce) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED,
          ("request is above the feature level in force: op=%s, level=%d, inForce=%d; it is raised"
                  + " once all metadata members run a release that has it, see 'vdfs metadata"
                  + " members'")
              .formatted(request.getOpCase(), level, inForce));
    }
  }

  private int levelOf(Message message) throws VdfsException {
    Descriptor type = message.getDescriptorForType();
    if (!message.getUnknownFields().asMap().isEmpty()) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED,
          "request has fields that this release doesn't know: in=%s, fields=%s; upgrade the nodes"
              .formatted(type.getFullName(), message.getUnknownFields().asMap().keySet()));
    }
    Parts known = parts.get(type);
    int level = 0;
    for (OneofDescriptor choice : known.choices()) {
      FieldDescriptor chosen = message.getOneofFieldDescriptor(choice);
      level = Math.max(level, levelOf(choice, chosen));
      if (chosen.getJavaType() == JavaType.MESSAGE) {
        level = Math.max(level, levelOf((Message) message.getField(chosen)));
      }
    }
    for (FieldDescriptor field : known.nested()) {
      level = Math.max(level, levelOfNested(message, field));
    }
    for (FieldDescriptor field : known.enums()) {
      level = Math.max(level, levelOfEnum(message, field));
    }
    for (FieldDescriptor field : known.added()) {
      if (field.isRepeated() ? message.getRepeatedFieldCount(field) > 0 : message.hasField(field)) {
        level = Math.max(level, additions.get(field.getFullName()));
      }
    }
    return level;
  }

  private int levelOf(OneofDescriptor choice, FieldDescriptor chosen) throws VdfsException {
    if (chosen == null) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED,
          "request names no operation that this release knows: in=%s, choice=%s"
              .formatted(choice.getContainingType().getFullName(), choice.getName()));
    }
    Integer level = operations.get(chosen);
    if (level == null) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED, "request is no change of the metadata: " + chosen.getFullName());
    }
    return level;
  }

  private int levelOfNested(Message message, FieldDescriptor field) throws VdfsException {
    int level = 0;
    if (field.isRepeated()) {
      int count = message.getRepeatedFieldCount(field);
      for (int i = 0; i < count; i++) {
        level = Math.max(level, levelOf((Message) message.getRepeatedField(field, i)));
      }
    } else if (message.hasField(field)) {
      level = levelOf((Message) message.getField(field));
    }
    return level;
  }

  private int levelOfEnum(Message message, FieldDescriptor field) throws VdfsException {
    int level = 0;
    if (field.isRepeated()) {
      int count = message.getRepeatedFieldCount(field);
      for (int i = 0; i < count; i++) {
        level = Math.max(level, levelOfValue(field, message.getRepeatedField(field, i)));
      }
    } else {
      level = levelOfValue(field, message.getField(field));
    }
    return level;
  }

  private int levelOfValue(FieldDescriptor field, Object value) throws VdfsException {
    EnumValueDescriptor known = (EnumValueDescriptor) value;
    if (field.getEnumType().findValueByNumber(known.getNumber()) == null) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED,
          "request has a value that this release doesn't know: field=%s, value=%d; upgrade the nodes"
              .formatted(field.getFullName(), known.getNumber()));
    }
    return additions.getOrDefault(known.getFullName(), 0);
  }

  /**
   * The level of what a request asks for, without its parts.
   *
   * @throws VdfsException UNSUPPORTED where this release doesn't know it
   */
  public int ofOperation(MetaRequest request) throws VdfsException {
    int level = 0;
    Message message = request;
    while (message != null) {
      Message inner = null;
      for (OneofDescriptor choice : parts.get(message.getDescriptorForType()).choices()) {
        FieldDescriptor chosen = message.getOneofFieldDescriptor(choice);
        level = Math.max(level, levelOf(choice, chosen));
        if (chosen.getJavaType() == JavaType.MESSAGE) {
          inner = (Message) message.getField(chosen);
        }
      }
      message = inner;
    }
    return level;
  }
}
