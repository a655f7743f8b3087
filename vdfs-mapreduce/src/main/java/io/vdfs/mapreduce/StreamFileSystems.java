package io.vdfs.mapreduce;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.wire.proto.LedgerQuery;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** Finds the filesystem of a stream and the ledger behind it. Stateless. */
final class StreamFileSystems {
  private StreamFileSystems() {}

  /**
   * @throws IOException if {@code uri} is of another filesystem
   */
  static VdfsFileSystem of(URI uri, Configuration conf) throws IOException {
    FileSystem fileSystem = FileSystem.get(uri, conf);
    if (fileSystem instanceof VdfsFileSystem vdfs) {
      return vdfs;
    }
    throw new IOException(
        "logical splits need a vdfs:// filesystem: uri="
            + uri
            + ", filesystem="
            + fileSystem.getClass().getName()
            + "; set fs.vdfs.impl to "
            + VdfsFileSystem.class.getName());
  }

  static StreamLedger ledger(VdfsFileSystem fileSystem) {
    return new ClientLedger(fileSystem.vdfsClient());
  }

  private record ClientLedger(VdfsClient client) implements StreamLedger {
    @Override
    public LedgerResponse submit(LedgerRequest request) throws IOException {
      return client.ledger(request);
    }

    @Override
    public LedgerResponse query(LedgerQuery query) throws IOException {
      return client.ledgerQuery(query);
    }

    @Override
    public NextRunResult next(NextRunOp request, String host) throws IOException {
      return client.nextRun(request, host);
    }
  }
}
