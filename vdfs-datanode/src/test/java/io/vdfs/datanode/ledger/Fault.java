package io.vdfs.datanode.ledger;

/**
 * The faults that a simulated schedule does to a job; counted, to show that the simulation is not
 * harmless.
 */
enum Fault {
  KILL,
  ZOMBIE,
  SPECULATION,
  RERUN_OF_COMPLETED_MAP,
  MASTER_RESTART,
  LOST_REPLY,
  LOST_REQUEST,
  LATE_REQUEST,
  REPEATED_REQUEST,
  LEADER_CHANGE,
  STEAL,
  PREFERENCE,
  CLOSED_TASK,
  REFUSED_CLOSE,
  EARLY_DRAW,
  STREAM_DROPPED,
  SECOND_SUCCESS,
  SEVERAL_RUNS,
  STOPPED_MAPPER,
  UNDRAWN_BLOCKS,
  LATE_JOB,
  YIELDED_TASK
}
