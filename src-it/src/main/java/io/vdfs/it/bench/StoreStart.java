package io.vdfs.it.bench;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.load.StoreOpener;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * Question: how long does the store of a node take to open its volume if that holds many small
 * files? The store alone, without a cluster.
 *
 * <p>Usage: {@code StoreStart fill VOLUME INDEX FILES BYTES} writes files, as clients do that have
 * all bytes of one at hand, and closes the store; {@code StoreStart open VOLUME INDEX FILES} opens
 * it and prints one JSON object: files found and seconds. Fails if there are fewer.
 */
public final class StoreStart {
  private static final UUID CLUSTER = new UUID(1, 2);
  private static final NodeId NODE = new NodeId(new UUID(3, 4));
  private static final double NANOS = 1e9;

  private StoreStart() {}

  /** Runs the command. */
  public static void main(String[] args) throws Exception {
    StoreConfig config =
        StoreConfig.of(
            CLUSTER, NODE, ClusterGeometry.DEFAULT, List.of(Path.of(args[1])), Path.of(args[2]));
    int files = Integer.parseInt(args[3]);
    if (args[0].equals("fill")) {
      fill(config, files, Integer.parseInt(args[4]));
    } else {
      open(config, files);
    }
  }

  private static void fill(StoreConfig config, int files, int bytes) throws Exception {
    byte[] content = new byte[bytes];
    new Random(7).nextBytes(content);
    int chunk = config.geometry().chunkSize();
    try (BlockStore store = StoreOpener.open(config)) {
      for (int file = 1; file <= files; file++) {
        BlockWriter writer =
            store.openWriter(
                key(file), BlockRole.PRIMARY, 1, 0, 0, LeaseBound.NONE, Long.MAX_VALUE, bytes);
        writer.append(0, VerifiedChunks.compute(ByteBuffer.wrap(content), chunk));
        writer.close(true);
      }
    }
  }

  private static FileKey key(int file) {
    return new FileKey(InodeIds.file(file, 0), 1);
  }

  private static void open(StoreConfig config, int files) throws Exception {
    long begun = System.nanoTime();
    try (BlockStore store = StoreOpener.open(config)) {
      double seconds = (System.nanoTime() - begun) / NANOS;
      int found = 0;
      for (int file = 1; file <= files; file++) {
        if (store.group(key(file), 0).length() > 0) {
          found++;
        }
      }
      if (found < files) {
        throw new IllegalStateException("files are missing: found=" + found + ", of=" + files);
      }
      System.out.printf("{\"files\": %d, \"open_s\": %.2f}%n", found, seconds);
    }
  }
}
