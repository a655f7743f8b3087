package io.vdfs.yarn;

/**
 * Memory of a machine that containers may have, in MiB. Immutable.
 *
 * <p>The page cache is the read buffer of VDFS: what the DataNodes read ahead must find room there.
 *
 * @param containers what running containers use, measured
 * @param available what the kernel could give to new programs
 * @param readAhead what the volumes together read ahead at most
 * @param heaps what the heaps of the daemons may still grow by
 * @param reserve what is left to everything else in any case
 */
record MemoryShare(long containers, long available, long readAhead, long heaps, long reserve) {
  /** Never more than the containers use and the machine could still give. */
  long forContainers() {
    return Math.max(0, containers + available - readAhead - heaps - reserve);
  }
}
