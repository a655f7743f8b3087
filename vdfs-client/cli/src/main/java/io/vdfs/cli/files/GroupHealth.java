package io.vdfs.cli.files;

import io.vdfs.client.place.FileCopies;

/** The state of a group's copies, from sound to worst. */
enum GroupHealth {
  SOUND(""),
  AWAY("have a copy on a node that is not alive"),
  LACKING("have fewer copies than they should have"),
  UNREACHABLE("have copies only on nodes that are not alive"),
  NO_COPY("have no copy on record");

  private final String label;

  GroupHealth(String label) {
    this.label = label;
  }

  /** The label of groups in this state. */
  String label() {
    return label;
  }

  /** Whether a file with such a group is named. */
  boolean isNamed() {
    return this != SOUND && this != AWAY;
  }

  static GroupHealth of(FileCopies.Range range) {
    if (range.recorded() == 0) {
      return NO_COPY;
    }
    if (range.live() == 0) {
      return UNREACHABLE;
    }
    if (range.lacking() > 0) {
      return LACKING;
    }
    return range.live() < range.recorded() ? AWAY : SOUND;
  }
}
