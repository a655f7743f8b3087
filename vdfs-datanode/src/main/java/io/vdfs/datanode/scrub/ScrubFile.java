package io.vdfs.datanode.scrub;

import io.vdfs.common.model.FileKey;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a scrubber's position in a file of properties. Confined to one thread. */
public final class ScrubFile implements ScrubMemory {
  private static final Logger LOG = LoggerFactory.getLogger(ScrubFile.class);

  private static final String BEGUN = "pass.begun.millis";
  private static final String WHOLE = "whole.since.millis";
  private static final String FILE = "last.file";
  private static final String GENERATION = "last.generation";
  private static final String GROUP = "last.group";
  private static final String ENDED = "ended";

  private final Path file;
  private final Writer writer;

  /** Replaces a file as a whole or not at all. */
  @FunctionalInterface
  public interface Writer {
    void write(Path file, ByteBuffer content) throws IOException;
  }

  public ScrubFile(Path file, Writer writer) {
    this.file = file;
    this.writer = writer;
  }

  @Override
  public Optional<ScrubPosition> load() {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      Properties properties = new Properties();
      properties.load(new StringReader(Files.readString(file)));
      return Optional.of(
          new ScrubPosition(
              number(properties, BEGUN),
              number(properties, WHOLE),
              properties.containsKey(FILE)
                  ? Optional.of(
                      new FileKey(number(properties, FILE), (int) number(properties, GENERATION)))
                  : Optional.empty(),
              (int) number(properties, GROUP),
              Boolean.parseBoolean(properties.getProperty(ENDED))));
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("Scrubbing begins anew, as its position is unreadable: file={}", file, e);
      return Optional.empty();
    }
  }

  private static long number(Properties properties, String key) {
    return Long.parseLong(properties.getProperty(key, "0"));
  }

  @Override
  public void save(ScrubPosition position) throws IOException {
    Properties properties = new Properties();
    properties.setProperty(BEGUN, Long.toString(position.passBegunMillis()));
    properties.setProperty(WHOLE, Long.toString(position.wholeSinceMillis()));
    position
        .last()
        .ifPresent(
            last -> {
              properties.setProperty(FILE, Long.toString(last.fileId()));
              properties.setProperty(GENERATION, Integer.toString(last.generation()));
            });
    properties.setProperty(GROUP, Integer.toString(position.group()));
    properties.setProperty(ENDED, Boolean.toString(position.ended()));
    StringWriter text = new StringWriter();
    properties.store(text, null);
    writer.write(file, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
  }
}
