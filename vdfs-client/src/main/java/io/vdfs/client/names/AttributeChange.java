package io.vdfs.client.names;

import io.vdfs.common.wire.proto.SetAttributesOp;

/** Attributes to set; what isn't named stays. Immutable. */
public final class AttributeChange {
  private final SetAttributesOp operation;

  private AttributeChange(SetAttributesOp operation) {
    this.operation = operation;
  }

  public static AttributeChange mode(int mode) {
    return new AttributeChange(SetAttributesOp.newBuilder().setMode(mode).build());
  }

  /** A null owner or group stays as it is. */
  public static AttributeChange owner(String owner, String group) {
    SetAttributesOp.Builder operation = SetAttributesOp.newBuilder();
    if (owner != null) {
      operation.setOwner(owner);
    }
    if (group != null) {
      operation.setGroup(group);
    }
    return new AttributeChange(operation.build());
  }

  /** A negative time stays as it is. */
  public static AttributeChange times(long modificationMillis, long accessMillis) {
    SetAttributesOp.Builder operation = SetAttributesOp.newBuilder();
    if (modificationMillis >= 0) {
      operation.setModificationMillis(modificationMillis);
    }
    if (accessMillis >= 0) {
      operation.setAccessMillis(accessMillis);
    }
    return new AttributeChange(operation.build());
  }

  public static AttributeChange replication(int replication) {
    return new AttributeChange(SetAttributesOp.newBuilder().setReplication(replication).build());
  }

  SetAttributesOp of(String path) {
    return operation.toBuilder().setPath(path).build();
  }
}
