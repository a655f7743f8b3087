package io.vdfs.yarn;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a DataNode reports of its disks and memory. Immutable.
 *
 * @param disks empty where the kernel reports nothing of them
 * @param readAhead MiB that the volumes read ahead together, at most
 * @param heapGrowth MiB that its heap may still grow by
 */
record DataNodeGauges(Optional<Sample.Disks> disks, long readAhead, long heapGrowth) {
  private static final Pattern LINE =
      Pattern.compile("^(vdfs_[a-z_]+)(?:\\{[^\\n]*\\})? (\\d{1,18})$", Pattern.MULTILINE);

  /**
   * @param metrics Prometheus text of a DataNode; lines of other things are passed over
   */
  static DataNodeGauges parse(String metrics) {
    OptionalDouble busy = mean(metrics, "vdfs_volume_disk_busy_percent");
    OptionalDouble queue = mean(metrics, "vdfs_volume_disk_queue_hundredths");
    Optional<Sample.Disks> disks =
        busy.isPresent() && queue.isPresent()
            ? Optional.of(
                new Sample.Disks(Math.min(1, busy.getAsDouble() / 100), queue.getAsDouble() / 100))
            : Optional.empty();
    return new DataNodeGauges(
        disks,
        mebibytes(metrics, "vdfs_volume_read_ahead_bytes"),
        mebibytes(metrics, "vdfs_process_heap_growth_bytes"));
  }

  private static OptionalDouble mean(String metrics, String name) {
    return values(metrics, name).stream().mapToLong(Long::longValue).average();
  }

  private static long mebibytes(String metrics, String name) {
    return values(metrics, name).stream().mapToLong(Long::longValue).sum() >> 20;
  }

  private static List<Long> values(String metrics, String name) {
    Matcher lines = LINE.matcher(metrics);
    return lines
        .results()
        .filter(line -> line.group(1).equals(name))
        .map(line -> Long.parseLong(line.group(2)))
        .toList();
  }
}
