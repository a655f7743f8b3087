package io.vdfs.cli.trace;

import io.vdfs.client.trace.TraceHeader;
import io.vdfs.client.trace.TraceRecord;
import io.vdfs.client.trace.TraceSlot;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Records as lines of text, as strace has them. Immutable. */
final class TraceText {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS", Locale.ROOT);

  private final ZoneId zone;

  /**
   * @param zone of the times shown
   */
  TraceText(ZoneId zone) {
    this.zone = zone;
  }

  /** {@code 10:15:30.123456 attempt_1 main pread(/f, 4096@8192) = 4096 <0.000123>}. */
  String line(TraceHeader header, TraceRecord record) {
    Instant start = header.began().plusNanos(record.startNanos());
    StringBuilder line =
        new StringBuilder()
            .append(TIME.format(start.atZone(zone)))
            .append(' ')
            .append(header.process())
            .append(' ')
            .append(record.thread().replace(' ', '_'))
            .append(' ')
            .append(record.op())
            .append('(')
            .append(arguments(record))
            .append(") = ")
            .append(result(record));
    if (record.calls() > 1) {
      line.append(" in ").append(record.calls()).append(" calls");
    }
    return line.append(String.format(Locale.ROOT, " <%.6f>", record.durationNanos() / 1e9))
        .toString();
  }

  private static String arguments(TraceRecord record) {
    StringBuilder text = new StringBuilder(record.path());
    append(text, record.target());
    if (record.offset() != TraceSlot.NONE || record.length() != TraceSlot.NONE) {
      append(text, number(record.length()) + "@" + number(record.offset()));
    }
    return text.toString();
  }

  private static void append(StringBuilder text, String argument) {
    if (!argument.isEmpty()) {
      text.append(text.isEmpty() ? "" : ", ").append(argument);
    }
  }

  private static String number(long value) {
    return value == TraceSlot.NONE ? "" : Long.toString(value);
  }

  private static String result(TraceRecord record) {
    if (!record.error().isEmpty()) {
      return "-1 " + record.error();
    }
    return record.result() == TraceSlot.NONE ? "0" : Long.toString(record.result());
  }
}
