package io.vdfs.client.io;

import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Some bytes of a block that one attempt obtained. Confined to its reader. */
public interface BlockPart extends AutoCloseable {
  /** First byte in the block, on a chunk boundary. */
  int start();

  /** Behind the last byte. */
  int end();

  /**
   * Fills {@code target} with verified bytes of this part.
   *
   * @param from first byte in the block
   * @throws VdfsException if these bytes cannot be had here after all; {@code target} may hold part
   *     of them
   */
  void copy(int from, ByteBuffer target) throws IOException;

  /**
   * As {@link #copy}, where the bytes are in memory and verified already; else does nothing.
   *
   * @return whether {@code target} is filled
   */
  boolean copyFromMemory(int from, ByteBuffer target);

  /**
   * Whether the node was not asked for these bytes, but had told before where they are: that they
   * are not there any more does not say that it has them no more.
   */
  boolean isEarly();

  @Override
  void close();
}
