package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.it.cluster.Await;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every client sees the present length of a file that is being written. */
@Timeout(60)
class FlushedLengthIT {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Path DIRECTORY = new Path("/flushed");
  private static final Path FILE = new Path(DIRECTORY, "log");

  @Test
  void shouldShowOthersWhatAWriterHasFlushed() throws Exception {
    try (FileSystem writing = SharedCluster.get().newFileSystem();
        FileSystem watching = SharedCluster.get().newFileSystem()) {
      FSDataOutputStream out = writing.create(FILE);
      assertEquals(0, length(watching));

      out.write(new byte[1_000]);
      out.hflush();
      assertEquals(1_000, length(watching), "the first flush is recorded");

      out.write(new byte[500]);
      out.hflush();
      out.write(new byte[500]);
      out.hsync();
      Await.until("the others to be told", LIMIT, () -> length(watching) == 2_000);
      assertEquals(2_000, watching.listStatus(DIRECTORY)[0].getLen());
      assertEquals(2_000, watching.getContentSummary(DIRECTORY).getLength());
      assertEquals(2_000, watching.getFileBlockLocations(FILE, 0, 5_000)[0].getLength());

      out.write(new byte[24]);
      out.close();
      assertEquals(2_024, length(watching));
    }
  }

  private static long length(FileSystem fileSystem) throws IOException {
    return fileSystem.getFileStatus(FILE).getLen();
  }
}
