package io.vdfs.datanode.store;

/** How bytes are read back from a volume that others read, too. */
public enum ReadPace {
  /** At once: the caller waits for the answer. */
  AT_ONCE,

  /** In turns that the volume's reader gives, {@code TurnGate#READ_BACK_BYTES} in each. */
  IN_TURNS
}
