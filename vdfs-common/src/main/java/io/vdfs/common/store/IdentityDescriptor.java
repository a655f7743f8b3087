package io.vdfs.common.store;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Layout of the fields that say whose a combined file is and how it is cut, as its header and its
 * footers repeat them. All numbers are big-endian.
 *
 * <pre>
 *   0  role         4   {@link BlockRole#code()}
 *   4  cluster     16
 *  20  node        16
 *  36  volume      16
 *  52  fileId       8
 *  60  generation   4
 *  64  blockSize    4
 *  68  chunkSize    4
 * </pre>
 */
final class IdentityDescriptor {
  static final int ROLE = 0;
  static final int CLUSTER = ROLE + Integer.BYTES;
  static final int NODE = CLUSTER + 2 * Long.BYTES;
  static final int VOLUME = NODE + 2 * Long.BYTES;
  static final int FILE_ID = VOLUME + 2 * Long.BYTES;
  static final int GENERATION = FILE_ID + Long.BYTES;
  static final int BLOCK_SIZE = GENERATION + Integer.BYTES;
  static final int CHUNK_SIZE = BLOCK_SIZE + Integer.BYTES;

  /** Bytes of all fields. */
  static final int SIZE = CHUNK_SIZE + Integer.BYTES;

  private IdentityDescriptor() {}

  static void putUuid(ByteBuffer fields, int offset, UUID uuid) {
    fields.putLong(offset, uuid.getMostSignificantBits());
    fields.putLong(offset + Long.BYTES, uuid.getLeastSignificantBits());
  }

  static UUID getUuid(ByteBuffer fields, int offset) {
    return new UUID(fields.getLong(offset), fields.getLong(offset + Long.BYTES));
  }

  /** The fields in words, whether they make sense or not. */
  static String describe(ByteBuffer fields) {
    return "cluster %s node %s volume %s file %d.%d role %d block %d chunk %d"
        .formatted(
            getUuid(fields, CLUSTER),
            getUuid(fields, NODE),
            getUuid(fields, VOLUME),
            fields.getLong(FILE_ID),
            fields.getInt(GENERATION),
            fields.getInt(ROLE),
            fields.getInt(BLOCK_SIZE),
            fields.getInt(CHUNK_SIZE));
  }
}
