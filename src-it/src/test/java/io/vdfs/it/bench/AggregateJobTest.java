package io.vdfs.it.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map.Entry;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.aggregate.ValueAggregatorBaseDescriptor;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AggregateJobTest {
  @TempDir private Path directory;

  /** Counts lines. */
  public static final class LineCount extends ValueAggregatorBaseDescriptor {
    /** For the job, which makes it by its name. */
    public LineCount() {}

    @Override
    @SuppressWarnings("NonApiType") // as Hadoop declares it
    public ArrayList<Entry<Text, Text>> generateKeyValPairs(Object key, Object value) {
      ArrayList<Entry<Text, Text>> pairs = new ArrayList<>();
      pairs.add(generateEntry(LONG_VALUE_SUM, value.toString(), ONE));
      return pairs;
    }
  }

  /** Counts how often it was made. */
  public static final class CountedFormat extends NLineInputFormat {
    private static int made;

    /** For the job, which makes it by its name. */
    public CountedFormat() {
      made++;
    }
  }

  @Test
  void shouldAggregateWithTheInputFormatThatIsSet() throws Exception {
    Path input = Files.writeString(directory.resolve("input"), "disk\nnode\ndisk\n");
    Path output = directory.resolve("output");
    Configuration conf = new Configuration();
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.set("mapreduce.aggregate.descriptor.num", "1");
    conf.set("mapreduce.aggregate.descriptor.0", "UserDefined," + LineCount.class.getName());
    conf.set(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, CountedFormat.class.getName());
    CountedFormat.made = 0;

    int code =
        ToolRunner.run(
            conf, new AggregateJob(), new String[] {input.toString(), output.toString()});

    assertEquals(0, code);
    assertEquals(List.of("disk\t2", "node\t1"), Files.readAllLines(output.resolve("part-r-00000")));
    assertTrue(CountedFormat.made > 0, "the input format that is set was not used");
  }

  @Test
  void shouldSayHowItIsUsed() throws Exception {
    assertEquals(2, ToolRunner.run(new Configuration(), new AggregateJob(), new String[] {"a"}));
  }
}
