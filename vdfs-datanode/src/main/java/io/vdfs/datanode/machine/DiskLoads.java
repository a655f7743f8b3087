package io.vdfs.datanode.machine;

import io.vdfs.datanode.loop.ServiceLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How busy the disks below the data directories are, over the last second. Thread-safe: the loop
 * measures, any thread may ask.
 */
public final class DiskLoads {
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final Map<Path, DiskDevice> devices = new HashMap<>();
  private final ServiceLoop loop;
  // confined to the loop
  private final Map<Path, DiskDevice.Counters> before = new HashMap<>();
  private long looked;

  private volatile Map<Path, DiskLoad> loads = Map.of();

  /**
   * @param devices {@code /sys/dev/block}
   */
  public DiskLoads(List<Path> directories, Path devices, ServiceLoop loop) {
    this.loop = loop;
    for (Path directory : directories) {
      DiskDevice.of(directory, devices).ifPresent(device -> this.devices.put(directory, device));
    }
  }

  /**
   * @param busyPercent of the time, in which the disk had a request
   * @param queueHundredths hundred times the requests that were with it on average
   */
  public record DiskLoad(long busyPercent, long queueHundredths) {}

  public void start() {
    loop.execute(this::look);
  }

  private void look() {
    long now = loop.nanoTime();
    long millis = TimeUnit.NANOSECONDS.toMillis(now - looked);
    Map<Path, DiskLoad> seen = new HashMap<>();
    devices.forEach(
        (directory, device) -> {
          try {
            DiskDevice.Counters counters = device.read();
            DiskDevice.Counters last = before.put(directory, counters);
            if (last != null && millis > 0) {
              seen.put(directory, load(last, counters, millis));
            }
          } catch (IOException e) {
            // the disk is gone; its volume says so itself
            before.remove(directory);
          }
        });
    looked = now;
    loads = Map.copyOf(seen);
    loop.schedule(PERIOD, this::look);
  }

  private static DiskLoad load(DiskDevice.Counters from, DiskDevice.Counters to, long millis) {
    long busy = Math.max(0, to.busyMillis() - from.busyMillis());
    long queued = Math.max(0, to.queuedMillis() - from.queuedMillis());
    return new DiskLoad(Math.min(100, busy * 100 / millis), queued * 100 / millis);
  }

  /** Empty where the kernel tells nothing of that disk, and before the second measurement. */
  public Optional<DiskLoad> of(Path directory) {
    return Optional.ofNullable(loads.get(directory));
  }
}
