package io.vdfs.datanode.machine;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many files and connections this process may have open. */
public final class OpenFileLimit {
  /** Assumed where the system does not tell. */
  private static final long USUAL = 4_096;

  private OpenFileLimit() {}

  public static long ofThisProcess() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : USUAL;
  }
}
