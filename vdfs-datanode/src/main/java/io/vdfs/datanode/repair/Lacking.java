package io.vdfs.datanode.repair;

import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.WantedGroup;

/**
 * A group to be copied, and why. Immutable.
 *
 * @param recorded whether the metadata may have this node recorded as left out of it
 * @param differing whether this node keeps it with sound bytes that are not those that were
 *     written: they count until a copy of those has taken their place
 * @param copiesLeft keepers that have it, as far as the metadata told
 */
record Lacking(WantedGroup wanted, Duty duty, boolean recorded, boolean differing, int copiesLeft) {
  /** As this one, once the metadata may have it on record. */
  Lacking asRecorded() {
    return new Lacking(wanted, duty, true, differing, copiesLeft);
  }

  GroupKey key() {
    return wanted.key();
  }
}
