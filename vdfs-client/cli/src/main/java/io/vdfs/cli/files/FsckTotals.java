package io.vdfs.cli.files;

import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.FileCopies;
import io.vdfs.datanode.command.ExitCodes;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** What {@code vdfs fsck} has found so far. Confined to the command's thread. */
final class FsckTotals {
  private final Map<GroupHealth, Long> groups = new EnumMap<>(GroupHealth.class);
  private final Map<String, String> refused = new LinkedHashMap<>();
  private long directories;
  private long files;
  private long openFiles;
  private long namedFiles;
  private long bytes;
  private long missingCopies;

  void addDirectory() {
    directories++;
  }

  void addRefused(String directory, String why) {
    refused.put(directory, why);
  }

  void add(FileInfo file, FileCopies copies) {
    files++;
    bytes += file.length();
    openFiles += file.isUnderConstruction() ? 1 : 0;
    for (FileCopies.Range range : copies.ranges()) {
      groups.merge(GroupHealth.of(range), (long) range.groups(), Long::sum);
      missingCopies += (long) range.lacking() * range.groups();
    }
    namedFiles += isNamed(copies) ? 1 : 0;
  }

  /** Whether the file has a group that needs an operator's attention. */
  static boolean isNamed(FileCopies copies) {
    return copies.ranges().stream().anyMatch(range -> GroupHealth.of(range).isNamed());
  }

  /** Failed if bytes can't be read or something was not checked. */
  int exitCode() {
    if (groups(GroupHealth.NO_COPY) + groups(GroupHealth.UNREACHABLE) > 0 || !refused.isEmpty()) {
      return ExitCodes.FAILED;
    }
    return groups(GroupHealth.LACKING) + groups(GroupHealth.AWAY) > 0
        ? ExitCodes.DEGRADED
        : ExitCodes.SOUND;
  }

  long groups(GroupHealth state) {
    return groups.getOrDefault(state, 0L);
  }

  long groups() {
    return groups.values().stream().mapToLong(Long::longValue).sum();
  }

  long directories() {
    return directories;
  }

  long files() {
    return files;
  }

  long openFiles() {
    return openFiles;
  }

  /** Files with groups that lack copies, or whose copies can't be reached. */
  long namedFiles() {
    return namedFiles;
  }

  /** Of all files, by their recorded lengths. */
  long bytes() {
    return bytes;
  }

  long missingCopies() {
    return missingCopies;
  }

  /** Directories that could not be listed, and why. */
  Map<String, String> refused() {
    return refused;
  }
}
