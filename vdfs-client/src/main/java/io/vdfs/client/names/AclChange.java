package io.vdfs.client.names;

import io.vdfs.common.wire.proto.AclChangeProto;

/** How the entries of a change combine with those that are there. */
public enum AclChange {
  /** The entries of each scope that is named replace those of that scope. */
  SET(AclChangeProto.ACL_SET),
  /** Entries are added, or replace those of the same scope and subject. */
  MODIFY(AclChangeProto.ACL_MODIFY),
  /** Entries go; their permissions do not matter. */
  REMOVE_ENTRIES(AclChangeProto.ACL_REMOVE_ENTRIES),
  /** The default scope goes; there are no entries. */
  REMOVE_DEFAULT(AclChangeProto.ACL_REMOVE_DEFAULT),
  /** All entries beyond the mode go; there are no entries. */
  REMOVE_ALL(AclChangeProto.ACL_REMOVE_ALL);

  private final AclChangeProto message;

  AclChange(AclChangeProto message) {
    this.message = message;
  }

  AclChangeProto message() {
    return message;
  }
}
