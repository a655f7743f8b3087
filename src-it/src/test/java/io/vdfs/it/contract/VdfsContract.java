package io.vdfs.it.contract;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** What VDFS promises to Hadoop's suites, and the filesystem they try it on. */
final class VdfsContract extends AbstractFSContract {
  private static final String OPTIONS = "contract/vdfs.xml";

  VdfsContract(Configuration conf) {
    super(conf);
    addConfResource(OPTIONS);
    SharedCluster.get().clientProperties().forEach(conf::set);
    conf.set("fs.defaultFS", SharedCluster.get().uri().toString());
  }

  @Override
  public FileSystem getTestFileSystem() throws IOException {
    return FileSystem.get(SharedCluster.get().uri(), getConf());
  }

  @Override
  public String getScheme() {
    return "vdfs";
  }

  @Override
  public Path getTestPath() {
    return new Path("/test");
  }
}
