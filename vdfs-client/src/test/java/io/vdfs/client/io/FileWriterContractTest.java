package io.vdfs.client.io;

import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.files.ContentWriterContract;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class FileWriterContractTest extends ContentWriterContract {
  private ClusterFile file;

  @BeforeEach
  void start() throws IOException {
    file = new ClusterFile();
  }

  @AfterEach
  void stop() throws IOException {
    file.close();
  }

  @Override
  protected ContentWriter create() {
    return file.create();
  }

  @Override
  protected boolean isOpenForWriting() {
    return file.isOpenForWriting();
  }

  @Override
  protected byte[] content() throws IOException {
    return file.content();
  }

  @Override
  protected void fail() {
    file.setReachable(false);
  }

  @Override
  protected void mend() {
    file.setReachable(true);
  }
}
