package io.vdfs.it.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.LedgerClient;
import io.vdfs.client.ledger.RunAnswer;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.model.StreamId;
import io.vdfs.mapreduce.VdfsInputFormat;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks just granted to one job are granted next to another job on the same file. */
@Timeout(120)
class SharedScanIT {
  /** Enough that each node is sure to own some. */
  private static final int BLOCKS = 96;

  private static final int BEFORE = 4;
  private static final String FILE = "/shared-scan";

  private static VdfsFileSystem fileSystem;

  @BeforeAll
  @Timeout(120)
  static void open() throws IOException {
    fileSystem = (VdfsFileSystem) InputCluster.newFileSystem();
    int block = InputCluster.SPEC.geometry().blockSize();
    new InputFiles(fileSystem, 3).text(FILE, (long) BLOCKS * block, "\n", 60);
  }

  @AfterAll
  static void close() throws IOException {
    if (fileSystem != null) {
      fileSystem.close();
    }
  }

  /** The only task of a job, as far as the ledger knows it. */
  private static final class Drawing {
    private final LedgerClient ledger = fileSystem.vdfsClient().ledger();
    private final StreamTask task;
    private final Set<Long> drawn = new TreeSet<>();
    private int position;
    private int preferred;
    private long blocks;

    Drawing() throws Exception {
      Job job = Job.getInstance(InputCluster.configuration());
      FileInputFormat.setInputPaths(job, FILE);
      new VdfsInputFormat<Object, Text>().getSplits(job);
      task = new StreamTask(StreamId.parse(job.getConfiguration().get(InputKeys.STREAM_ID)), 0);
    }

    boolean draw() throws IOException {
      RunAnswer answer = ledger.next(RunQuestion.oneBlock(task, position));
      blocks = answer.streamBlocks();
      if (answer.isEnd()) {
        return false;
      }
      position++;
      preferred += answer.preferred() ? 1 : 0;
      assertEquals(1, answer.blocks());
      assertTrue(drawn.add(answer.runs().get(0).firstBlock()), "each block once");
      return true;
    }

    void drawAll() throws IOException {
      boolean more = true;
      while (more) {
        more = draw();
      }
      assertEquals(blocks, drawn.size());
    }
  }

  @Test
  void shouldLeadASecondJobToWhatTheFirstOneWasGranted() throws Exception {
    Drawing first = new Drawing();
    for (int run = 0; run < BEFORE; run++) {
      assertTrue(first.draw());
    }
    assertEquals(0, first.preferred, "nobody was there before");
    Drawing second = new Drawing();
    for (int run = 0; run < BEFORE; run++) {
      assertTrue(second.draw());
    }
    assertTrue(second.preferred > 0, "runs that are shared");
    second.drawAll();
    first.drawAll();
    assertTrue(first.preferred > 0, "the first one follows where the second one has led");
  }
}
