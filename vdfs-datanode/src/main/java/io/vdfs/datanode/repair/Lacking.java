package io.vdfs.datanode.repair;

import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.WantedGroup;

/**
 * A group to be copied, and why. Immutable.
 *
 * @param recorded whether the metadata may have this node recorded as left out of it
 * @param copiesLeft keepers that have it, as far as the metadata told
 */
record Lacking(WantedGroup wanted, Duty duty, boolean recorded, int copiesLeft) {
  GroupKey key() {
    return wanted.key();
  }
}
