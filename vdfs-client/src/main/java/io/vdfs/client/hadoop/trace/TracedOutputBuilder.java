package io.vdfs.client.hadoop.trace;

import io.vdfs.client.hadoop.trace.calls.CallTracer;
import java.io.IOException;
import java.util.Set;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Makes traced streams; passes all that is asked on to the builder of the filesystem inside, which
 * may know options of its own. Confined to one thread.
 */
final class TracedOutputBuilder
    extends FSDataOutputStreamBuilder<FSDataOutputStream, TracedOutputBuilder> {
  private final FSDataOutputStreamBuilder<?, ?> builder;
  private final Opening opening;

  /** Opens a stream by a builder, and traces both. */
  @FunctionalInterface
  interface Opening {
    FSDataOutputStream run(CallTracer.Call<FSDataOutputStream> build) throws IOException;
  }

  /**
   * @param builder of the filesystem inside
   */
  TracedOutputBuilder(
      FileSystem fileSystem, Path path, FSDataOutputStreamBuilder<?, ?> builder, Opening opening) {
    super(fileSystem, path);
    this.builder = builder;
    this.opening = opening;
  }

  @Override
  public TracedOutputBuilder getThisBuilder() {
    return this;
  }

  @Override
  public TracedOutputBuilder permission(FsPermission permission) {
    builder.permission(permission);
    return this;
  }

  @Override
  public TracedOutputBuilder bufferSize(int size) {
    builder.bufferSize(size);
    return this;
  }

  @Override
  public TracedOutputBuilder replication(short factor) {
    builder.replication(factor);
    return this;
  }

  @Override
  public TracedOutputBuilder blockSize(long size) {
    builder.blockSize(size);
    return this;
  }

  @Override
  public TracedOutputBuilder recursive() {
    builder.recursive();
    return this;
  }

  @Override
  public TracedOutputBuilder progress(Progressable progress) {
    builder.progress(progress);
    return this;
  }

  @Override
  public TracedOutputBuilder create() {
    builder.create();
    return this;
  }

  @Override
  public TracedOutputBuilder overwrite(boolean overwrite) {
    builder.overwrite(overwrite);
    return this;
  }

  @Override
  public TracedOutputBuilder append() {
    builder.append();
    return this;
  }

  @Override
  public TracedOutputBuilder checksumOpt(Options.ChecksumOpt checksum) {
    builder.checksumOpt(checksum);
    return this;
  }

  @Override
  public FSDataOutputStream build() throws IOException {
    Set<String> mandatory = getMandatoryKeys();
    for (String key : mandatory) {
      builder.must(key, getOptions().get(key));
    }
    for (String key : getOptionalKeys()) {
      builder.opt(key, getOptions().get(key));
    }
    return opening.run(builder::build);
  }
}
