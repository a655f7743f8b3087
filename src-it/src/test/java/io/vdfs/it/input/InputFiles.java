package io.vdfs.it.input;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.DefaultCodec;

/** Makes input files whose records are all different. Confined to the test's thread. */
final class InputFiles {
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz äöüß 日本語 😀";
  private static final int[] SYMBOLS = LETTERS.codePoints().toArray();

  private final FileSystem fileSystem;
  private final Random random;
  private long records;

  InputFiles(FileSystem fileSystem, long seed) {
    this.fileSystem = fileSystem;
    this.random = new Random(seed);
  }

  /**
   * @param delimiter after each record but the last
   * @param meanLength of a record in symbols
   */
  void text(String file, long leastBytes, String delimiter, int meanLength) throws IOException {
    try (OutputStream out = open(new Path(file))) {
      long written = 0;
      while (written < leastBytes) {
        byte[] record = ((written == 0 ? "" : delimiter) + record(meanLength)).getBytes(UTF_8);
        out.write(record);
        written += record.length;
      }
    }
  }

  /** Compressed if the name's suffix says so. */
  private OutputStream open(Path file) throws IOException {
    CompressionCodec codec = new CompressionCodecFactory(fileSystem.getConf()).getCodec(file);
    OutputStream raw = fileSystem.create(file);
    return codec == null ? raw : codec.createOutputStream(raw);
  }

  void sequence(String file, int pairs, CompressionType compression) throws IOException {
    Configuration conf = fileSystem.getConf();
    DefaultCodec codec = new DefaultCodec();
    codec.setConf(conf);
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            conf,
            SequenceFile.Writer.file(fileSystem.makeQualified(new Path(file))),
            SequenceFile.Writer.keyClass(LongWritable.class),
            SequenceFile.Writer.valueClass(Text.class),
            SequenceFile.Writer.compression(compression, codec))) {
      for (int pair = 0; pair < pairs; pair++) {
        writer.append(new LongWritable(pair), new Text(record(200)));
      }
    }
  }

  void empty(String file) throws IOException {
    fileSystem.create(new Path(file)).close();
  }

  private String record(int meanLength) {
    StringBuilder record = new StringBuilder().append(records++).append('\t');
    for (int left = random.nextInt(2 * meanLength); left > 0; left--) {
      record.appendCodePoint(SYMBOLS[random.nextInt(SYMBOLS.length)]);
    }
    return record.toString();
  }
}
