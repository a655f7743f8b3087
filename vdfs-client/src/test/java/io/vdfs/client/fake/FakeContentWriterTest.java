package io.vdfs.client.fake;

import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.files.ContentWriterContract;
import io.vdfs.client.files.CreateOptions;
import io.vdfs.client.names.FileInfo;
import java.io.IOException;

class FakeContentWriterTest extends ContentWriterContract {
  private static final String PATH = "/f";

  private final FakeClient client = new FakeClient(new FakeCluster(), "elsewhere");

  @Override
  protected ContentWriter create() throws IOException {
    return client
        .client()
        .files()
        .create(PATH, new CreateOptions(0644, 0644, false, false, 3, 4096));
  }

  private FileInfo info() throws IOException {
    return client.client().names().status(PATH);
  }

  @Override
  protected boolean isOpenForWriting() throws IOException {
    return info().isUnderConstruction();
  }

  @Override
  protected byte[] content() throws IOException {
    return client.content().bytes(info().key());
  }

  @Override
  protected void fail() {
    client.content().failWriters();
  }

  @Override
  protected void mend() {
    client.content().mendWriters();
  }
}
