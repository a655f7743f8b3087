package io.vdfs.client.hadoop.trace;

import io.vdfs.client.hadoop.trace.calls.CallTracer;
import io.vdfs.client.hadoop.trace.names.TracedUri;
import java.io.IOException;
import org.apache.hadoop.fs.MultipartUploader;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.permission.FsPermission;

/** Makes traced uploaders; passes all that is asked on to another builder. Confined to a thread. */
final class TracedUploaderBuilder
    implements MultipartUploaderBuilder<MultipartUploader, TracedUploaderBuilder> {
  private final MultipartUploaderBuilder<?, ?> builder;
  private final TracedUri uri;
  private final CallTracer tracer;

  TracedUploaderBuilder(MultipartUploaderBuilder<?, ?> builder, TracedUri uri, CallTracer tracer) {
    this.builder = builder;
    this.uri = uri;
    this.tracer = tracer;
  }

  @Override
  public TracedUploaderBuilder permission(FsPermission permission) {
    builder.permission(permission);
    return this;
  }

  @Override
  public TracedUploaderBuilder bufferSize(int size) {
    builder.bufferSize(size);
    return this;
  }

  @Override
  public TracedUploaderBuilder replication(short factor) {
    builder.replication(factor);
    return this;
  }

  @Override
  public TracedUploaderBuilder blockSize(long size) {
    builder.blockSize(size);
    return this;
  }

  @Override
  public TracedUploaderBuilder create() {
    builder.create();
    return this;
  }

  @Override
  public TracedUploaderBuilder overwrite(boolean overwrite) {
    builder.overwrite(overwrite);
    return this;
  }

  @Override
  public TracedUploaderBuilder append() {
    builder.append();
    return this;
  }

  @Override
  public TracedUploaderBuilder checksumOpt(Options.ChecksumOpt checksum) {
    builder.checksumOpt(checksum);
    return this;
  }

  @Override
  public TracedUploaderBuilder opt(String key, String value) {
    builder.opt(key, value);
    return this;
  }

  @Override
  public TracedUploaderBuilder opt(String key, String... values) {
    builder.opt(key, values);
    return this;
  }

  @Override
  public TracedUploaderBuilder must(String key, String value) {
    builder.must(key, value);
    return this;
  }

  @Override
  public TracedUploaderBuilder must(String key, String... values) {
    builder.must(key, values);
    return this;
  }

  @Override
  public MultipartUploader build() throws IOException {
    return new TracedUploader((MultipartUploader) builder.build(), uri, tracer);
  }
}
