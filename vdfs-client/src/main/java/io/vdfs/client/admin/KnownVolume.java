package io.vdfs.client.admin;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.KnownVolumeProto;
import java.util.UUID;

/**
 * A volume that a node has or had, as the metadata have it. Immutable.
 *
 * @param directory where it is, or was last
 * @param capacity bytes of its disk; 0 if that is not known
 */
public record KnownVolume(UUID id, String directory, long capacity, State state) {
  /** The state of a volume, as its node reported it or an operator decided. */
  public enum State {
    SERVING,
    /** It takes no new blocks. */
    SUSPECT,
    /** It is not served. */
    FAILED,
    /** It is lost, and an empty disk may take its place. */
    GIVEN_UP,
    /** A state that this release does not know. */
    UNKNOWN;

    private static State of(KnownVolumeProto volume) {
      return switch (volume.getState()) {
        case VOLUME_SERVING -> SERVING;
        case VOLUME_SUSPECT -> SUSPECT;
        case VOLUME_FAILED -> FAILED;
        case VOLUME_GIVEN_UP -> GIVEN_UP;
        case UNRECOGNIZED -> UNKNOWN;
      };
    }
  }

  static KnownVolume of(KnownVolumeProto volume) throws VdfsException {
    return new KnownVolume(
        WireIds.uuid("volume id", volume.getId()),
        volume.getDirectory(),
        volume.getCapacity(),
        State.of(volume));
  }

  /** Whether it is neither served as it should be nor given up. */
  public boolean isBad() {
    return state == State.SUSPECT || state == State.FAILED;
  }
}
