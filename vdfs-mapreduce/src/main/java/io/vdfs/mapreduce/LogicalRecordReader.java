package io.vdfs.mapreduce;

import com.google.protobuf.ByteString;
import io.vdfs.client.LedgerClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.model.BlockDigest;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.EndOfTask;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamTotals;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Draws runs of blocks from the ledger and reads each with the wrapped format's own reader, so that
 * a record belongs to the block in which it begins, exactly as with static splits.
 *
 * <p>The end of input is what the ledger states, with totals that must equal what was processed
 * here; every error is an exception. Confined to the task's thread.
 */
final class LogicalRecordReader<K, V> extends RecordReader<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(LogicalRecordReader.class);

  private final FileInputFormat<K, V> wrapped;
  private final RunSize runSize = new RunSize();

  private LogicalSplit split;
  private TaskAttemptContext context;
  private VdfsFileSystem fileSystem;
  private LedgerClient ledger;

  private int position;
  private StreamTotals processed = StreamTotals.getDefaultInstance();
  private boolean ended;
  private float progress;

  private StreamRun run;
  private AutoCloseable pin;
  private RecordReader<K, V> reader;
  private long runStartNanos;

  LogicalRecordReader(FileInputFormat<K, V> wrapped) {
    this.wrapped = wrapped;
  }

  @Override
  public void initialize(InputSplit inputSplit, TaskAttemptContext taskContext) throws IOException {
    split = (LogicalSplit) inputSplit;
    context = taskContext;
    fileSystem = StreamFileSystems.of(split.getPath().toUri(), context.getConfiguration());
    ledger = fileSystem.vdfsClient().ledger();
  }

  @Override
  public boolean nextKeyValue() throws IOException, InterruptedException {
    while (!ended) {
      if (reader != null) {
        if (reader.nextKeyValue()) {
          return true;
        }
        finishRun();
      }
      drawRun();
    }
    return false;
  }

  @Override
  public K getCurrentKey() throws IOException, InterruptedException {
    return reader == null ? null : reader.getCurrentKey();
  }

  @Override
  public V getCurrentValue() throws IOException, InterruptedException {
    return reader == null ? null : reader.getCurrentValue();
  }

  /** The share of the whole job's blocks that some task owns: all tasks end together. */
  @Override
  public float getProgress() {
    return ended ? 1 : progress;
  }

  @Override
  public void close() throws IOException {
    if (reader != null) {
      closeRun();
    }
  }

  private void drawRun() throws IOException, InterruptedException {
    NextRunOp request =
        NextRunOp.newBuilder()
            .setStreamId(ByteString.copyFrom(split.streamId()))
            .setTask(split.ordinal())
            .setPosition(position)
            .setWantedBlocks(runSize.wanted())
            .setProcessed(processed)
            .build();
    long start = System.nanoTime();
    NextRunResult result = ledger.next(request);
    count(StreamCounter.LEDGER_CALLS, 1);
    count(StreamCounter.LEDGER_WAIT_MILLIS, (System.nanoTime() - start) / 1_000_000);
    progress = progressOf(result);
    switch (result.getOutcomeCase()) {
      case RUN -> openRun(result.getRun());
      case END -> end(result.getEnd());
      case OUTCOME_NOT_SET ->
          throw new IOException("the ledger answered neither a run nor the end: split=" + split);
    }
  }

  private void openRun(StreamRun next) throws IOException, InterruptedException {
    Path path = fileSystem.makeQualified(new Path(next.getPath()));
    FileKey file = key(next);
    run = next;
    runStartNanos = System.nanoTime();
    split.showRun(path, next.getOffset(), next.getBytes());
    pin = fileSystem.pin(path, file.fileId(), file.generation(), next.getFileLength());
    FileSplit range = new FileSplit(path, next.getOffset(), next.getBytes(), new String[0]);
    reader = wrapped.createRecordReader(range, context);
    reader.initialize(range, context);
  }

  private void finishRun() throws IOException {
    closeRun();
    position++;
    processed =
        StreamTotals.newBuilder()
            .setBlocks(processed.getBlocks() + run.getBlockCount())
            .setBytes(processed.getBytes() + run.getBytes())
            .setDigest(
                processed.getDigest()
                    + BlockDigest.of(key(run), run.getFirstBlock(), run.getBlockCount()))
            .build();
    runSize.onRun(run.getBlockCount(), System.nanoTime() - runStartNanos);
    count(StreamCounter.RUNS, 1);
    count(StreamCounter.BLOCKS, run.getBlockCount());
    count(StreamCounter.BYTES, run.getBytes());
    count(StreamCounter.STOLEN_BLOCKS, run.getStolen() ? run.getBlockCount() : 0);
    run = null;
  }

  private void closeRun() throws IOException {
    try {
      reader.close();
    } finally {
      reader = null;
      unpin();
    }
  }

  private void unpin() throws IOException {
    try {
      pin.close();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("cannot unpin " + split.getPath(), e);
    } finally {
      pin = null;
    }
  }

  private void end(EndOfTask end) throws IOException {
    if (end.getRuns() != position || !end.getTask().equals(processed)) {
      throw new IOException(
          "the ledger and this task disagree on what the task processed: split="
              + split
              + ", ledger runs="
              + end.getRuns()
              + ", task runs="
              + position
              + ", ledger bytes="
              + end.getTask().getBytes()
              + ", task bytes="
              + processed.getBytes());
    }
    ended = true;
    LOG.info(
        "{} of {} blocks of the job were processed by {}",
        processed.getBlocks(),
        end.getStream().getBlocks(),
        split);
  }

  private void count(StreamCounter counter, long amount) {
    context.getCounter(counter).increment(amount);
  }

  private static float progressOf(NextRunResult result) {
    long all = result.getStreamBlocks();
    return all == 0 ? 1 : (float) (all - result.getRemainingBlocks()) / all;
  }

  private static FileKey key(StreamRun run) {
    return new FileKey(run.getFile().getFileId(), run.getFile().getGeneration());
  }
}
