package io.vdfs.client.names;

import io.vdfs.common.wire.proto.AclEntryProto;
import io.vdfs.common.wire.proto.AclTypeProto;

/**
 * One entry of an ACL. Immutable.
 *
 * @param ofDefault for what is created in the directory; else it decides about the directory itself
 * @param name empty for the inode's own user or group
 * @param permission rwx as 0 to 7
 */
public record AclRule(boolean ofDefault, Subject subject, String name, int permission) {
  /** The subject of an entry. */
  public enum Subject {
    USER(AclTypeProto.ACL_USER),
    GROUP(AclTypeProto.ACL_GROUP),
    MASK(AclTypeProto.ACL_MASK),
    OTHER(AclTypeProto.ACL_OTHER);

    private final AclTypeProto message;

    Subject(AclTypeProto message) {
      this.message = message;
    }

    private static Subject of(AclTypeProto message) {
      for (Subject subject : values()) {
        if (subject.message == message) {
          return subject;
        }
      }
      throw new IllegalArgumentException("unknown type of entry in an ACL: type=" + message);
    }
  }

  static AclRule of(AclEntryProto message) {
    return new AclRule(
        message.getIsDefault(),
        Subject.of(message.getType()),
        message.getName(),
        message.getPermission());
  }

  AclEntryProto message() {
    return AclEntryProto.newBuilder()
        .setIsDefault(ofDefault)
        .setType(subject.message)
        .setName(name)
        .setPermission(permission)
        .build();
  }
}
