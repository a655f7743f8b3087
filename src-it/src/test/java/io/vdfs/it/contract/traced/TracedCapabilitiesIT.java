package io.vdfs.it.contract.traced;

import io.vdfs.it.contract.CapabilitiesIT;
import io.vdfs.it.contract.SharedCluster;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** A traced filesystem claims what it can do: neither less nor more than without tracing. */
public class TracedCapabilitiesIT extends CapabilitiesIT {
  @Override
  protected FileSystem open() throws IOException {
    Configuration conf = SharedCluster.get().configuration();
    TracedContract.trace(conf);
    return FileSystem.newInstance(TracedContract.uri(), conf);
  }
}
