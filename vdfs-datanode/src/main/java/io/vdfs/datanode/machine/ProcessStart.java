package io.vdfs.datanode.machine;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.PathTrouble;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When this process started, as it is told to others: later than each earlier process of the node,
 * even if the clock was set back meanwhile. Others believe only the latest process of a node. The
 * last start is remembered in a small file. Used by the thread that starts the node.
 */
public final class ProcessStart {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessStart.class);

  private final Path file;

  /**
   * @param file remembers the last start; made if it does not exist
   */
  public ProcessStart(Path file) {
    this.file = file;
  }

  /**
   * The start of a process that starts now, in whole milliseconds.
   *
   * @throws VdfsException MISCONFIGURED if the file can't be read or written; the message names it
   */
  public Instant next(Clock clock) throws VdfsException {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    try {
      Instant earliest = last().plusMillis(1);
      if (now.isBefore(earliest)) {
        LOG.warn(
            "The clock was set back since the last start of this node: now={}, told={}",
            now,
            earliest);
      }
      Instant start = now.isBefore(earliest) ? earliest : now;
      WholeFile.write(file, ByteBuffer.wrap((start + "\n").getBytes(StandardCharsets.US_ASCII)));
      return start;
    } catch (IOException | DateTimeParseException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "cannot keep when this node was started: file=%s, error=%s; %s"
              .formatted(
                  file,
                  e,
                  PathTrouble.cure(e, "delete it where it is damaged and the clock is right")),
          e);
    }
  }

  private Instant last() throws IOException {
    try {
      return Instant.parse(Files.readString(file, StandardCharsets.US_ASCII).strip());
    } catch (NoSuchFileException e) {
      return Instant.EPOCH;
    }
  }
}
