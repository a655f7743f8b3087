package io.vdfs.datanode.meta.group;

/** Why a member's log may lack entries that the member has acknowledged. */
public enum LogDoubt {
  /** Its end was damaged and is cut off. */
  TORN,
  /** All of it was damaged and put aside, or is gone. */
  EMPTIED
}
