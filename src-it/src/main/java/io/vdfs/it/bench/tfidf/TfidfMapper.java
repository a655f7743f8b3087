package io.vdfs.it.bench.tfidf;

import java.io.IOException;
import java.util.Locale;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/**
 * Reads all of a {@link TfidfModel}, then its split. Writes for each term of the split how often
 * the split has it, and that count times the term's inverse document frequency.
 */
public final class TfidfMapper extends Mapper<LongWritable, Text, Text, Text> {
  /** Job property: the path of the model. */
  static final String MODEL = "vdfs.bench.tfidf.model";

  private final TermTable counts = new TermTable();
  private TfidfModel model;

  /** For instantiation by MapReduce. */
  public TfidfMapper() {}

  @Override
  protected void setup(Context context) throws IOException {
    Path path = new Path(context.getConfiguration().get(MODEL));
    try (FSDataInputStream in = path.getFileSystem(context.getConfiguration()).open(path)) {
      model = TfidfModel.read(in);
    }
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context) {
    Terms.each(line.getBytes(), line.getLength(), term -> counts.add(term, 1));
  }

  @Override
  protected void cleanup(Context context) throws IOException, InterruptedException {
    Text key = new Text();
    Text value = new Text();
    for (long term : counts.sorted().toArray()) {
      int count = counts.get(term);
      key.set(Terms.spell(term));
      value.set(
          String.format(Locale.ROOT, "%d\t%.6f", count, count * model.inverseFrequency(term)));
      context.write(key, value);
    }
  }
}
