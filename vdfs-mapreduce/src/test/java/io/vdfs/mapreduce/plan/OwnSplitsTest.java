package io.vdfs.mapreduce.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.junit.jupiter.api.Test;

class OwnSplitsTest {
  private static final Class<?> BASE = FileInputFormat.class;

  /** Records of 100 bytes, none of which crosses the end of a split. */
  private static class FixedLength extends TextInputFormat {
    @Override
    protected long computeSplitSize(long blockSize, long minSize, long maxSize) {
      long size = super.computeSplitSize(blockSize, minSize, maxSize);
      return size - size % 100;
    }
  }

  private static final class Inherited extends FixedLength {}

  private static final class OwnRanges extends TextInputFormat {
    @Override
    protected FileSplit makeSplit(Path file, long start, long length, String[] hosts) {
      return super.makeSplit(file, start, length, new String[0]);
    }
  }

  private static final class OldFixedLength extends org.apache.hadoop.mapred.TextInputFormat {
    @Override
    protected long computeSplitSize(long goalSize, long minSize, long blockSize) {
      return 100;
    }
  }

  @Test
  void shouldLeaveFormatsThatCutBySizeToUs() {
    for (Class<?> format :
        List.of(
            TextInputFormat.class, KeyValueTextInputFormat.class, SequenceFileInputFormat.class)) {
      assertPlans(false, format, BASE);
    }
    Class<?> oldBase = org.apache.hadoop.mapred.FileInputFormat.class;
    assertPlans(false, org.apache.hadoop.mapred.TextInputFormat.class, oldBase);
    assertPlans(false, org.apache.hadoop.mapred.SequenceFileInputFormat.class, oldBase);
  }

  @Test
  void shouldFindWhatFormatsPlanThemselves() {
    assertPlans(true, NLineInputFormat.class, BASE);
    assertPlans(true, CombineTextInputFormat.class, BASE);
    assertPlans(true, FixedLength.class, BASE);
    assertPlans(true, Inherited.class, BASE);
    assertPlans(true, OwnRanges.class, BASE);
    assertPlans(true, OldFixedLength.class, org.apache.hadoop.mapred.FileInputFormat.class);
    assertPlans(
        true,
        org.apache.hadoop.mapred.lib.NLineInputFormat.class,
        org.apache.hadoop.mapred.FileInputFormat.class);
  }

  private static void assertPlans(boolean expected, Class<?> format, Class<?> base) {
    assertEquals(expected, OwnSplits.arePlannedBy(format, base), format::getName);
  }
}
