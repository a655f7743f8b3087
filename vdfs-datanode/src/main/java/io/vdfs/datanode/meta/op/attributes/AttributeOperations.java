package io.vdfs.datanode.meta.op.attributes;

import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.datanode.meta.op.change.Operation;
import java.util.Map;

/** The operations on the attributes of inodes. */
public final class AttributeOperations {
  private AttributeOperations() {}

  /** The operations by the request that asks for them. */
  public static Map<OpCase, Operation> all() {
    return Map.of(
        OpCase.SET_ATTRIBUTES, new SetAttributesOperation(),
        OpCase.SET_XATTR, new SetXAttrOperation(),
        OpCase.CHANGE_ACL, new ChangeAclOperation(),
        OpCase.SET_QUOTA, new SetQuotaOperation());
  }
}
