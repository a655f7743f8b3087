package io.vdfs.datanode.store.status;

import io.vdfs.common.metrics.CounterName;

/** The counters of a block store. */
public enum StoreCounter implements CounterName {
  READS("reads"),
  READ_BYTES("bytes read"),
  POOLED_READS("reads into the JVM's direct memory, as the daemon's own was in use"),
  CORRUPT_CHUNKS("chunks that differed from their checksum on disk"),
  SUMMED_CHUNKS("chunks of packets that were summed here as they repeat what is held"),
  APPENDS("packets stored"),
  WRITTEN_BYTES("bytes written to blocks"),
  CHECKPOINTS("footers written to make bytes survive the process"),
  SYNCS("forces asked for by writers"),
  BACKGROUND_FORCES("forces done ahead in the background"),
  FAILED_WRITES("writes and forces that failed"),
  REWRITTEN_HEADERS("header pages of combined files rewritten from footers"),
  PUT_ASIDE("combined files put aside as damaged"),
  LOST_BLOCKS("blocks once made durable that were found missing from their data file"),
  COMPACTED_INDEXES("index files made anew of the records that count"),
  INDEX_GROWTHS("times the block index was rebuilt larger"),
  FORCED_BYTES("bytes of data files that forces were to make durable"),
  FORCED_BYTES_IN_TURNS("those of them whose force went in a turn"),
  WRITE_PLACES(
      "forces after a read of the volume or of another file, so that the disk had to go there"),
  READ_BACK_TURNS("turns in which what nobody waits for was read back"),
  READ_BACKS_OUT_OF_PATIENCE("reads back that waited for a turn in vain"),
  WRITE_BACK_TURNS("turns in which the background forced"),
  WRITES_HELD_BACK("packets acknowledged late, as much waited to be forced beside a reader"),
  WRITE_TURNS("turns that a volume's reader gave to forces that waited"),
  WRITES_IN_TURNS("forces that went in such a turn, those of the background apart"),
  WRITES_OUT_OF_PATIENCE("forces that waited for a turn in vain"),
  WRITES_GATHERED("forces that waited for others, to end or to come, so as to go together"),
  WRITE_TURNS_CUT("turns that ended before all of their forces did"),
  WRITE_WAIT_MILLIS("milliseconds that forces waited for their turn"),
  BLANKS_USED("small files written into blank files"),
  BLANKS_MISSED("small files for which there was no blank file"),
  BLANKS_NAMED("blank files that were given the names of the small files in them"),
  ROOM_GIVEN_BACK("bytes of room of dropped blocks that disks got back"),
  ROOM_KEPT("times that a disk did not get back the room of dropped blocks of a file"),
  OPEN_FILES("combined files open");

  private final String label;

  StoreCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public boolean isLevel() {
    return this == OPEN_FILES;
  }
}
