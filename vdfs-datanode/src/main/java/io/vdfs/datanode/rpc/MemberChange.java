package io.vdfs.datanode.rpc;

import io.vdfs.common.model.NodeId;
import java.util.Optional;

/**
 * A change of the metadata members as far as it has come. Immutable.
 *
 * @param message why it failed; empty otherwise
 */
public record MemberChange(
    Optional<NodeId> removed, Optional<NodeId> added, State state, String message) {
  /** How far it has come. */
  public enum State {
    UNDER_WAY,
    DONE,
    FAILED
  }

  public static MemberChange begun(Optional<NodeId> removed, Optional<NodeId> added) {
    return new MemberChange(removed, added, State.UNDER_WAY, "");
  }

  public MemberChange done() {
    return new MemberChange(removed, added, State.DONE, "");
  }

  public MemberChange failed(String why) {
    return new MemberChange(removed, added, State.FAILED, why);
  }

  public boolean isUnderWay() {
    return state == State.UNDER_WAY;
  }

  public boolean hasFailed() {
    return state == State.FAILED;
  }

  @Override
  public String toString() {
    return "removed=%s, added=%s, state=%s"
        .formatted(
            removed.map(NodeId::toString).orElse("none"),
            added.map(NodeId::toString).orElse("none"),
            state);
  }
}
