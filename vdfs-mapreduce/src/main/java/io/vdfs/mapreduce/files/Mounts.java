package io.vdfs.mapreduce.files;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.viewfs.ViewFileSystem;

/**
 * The mount points of a {@code viewfs://}, or of a filesystem that stands in for one, that lead to
 * one place each. Immutable.
 */
final class Mounts {
  private final ViewFileSystem view;
  private final List<Mount> mounts = new ArrayList<>();

  /** The tree seen at {@code point}, without scheme, lies at {@code target}. */
  private record Mount(String point, Path target) {}

  Mounts(ViewFileSystem view) {
    this.view = view;
    for (ViewFileSystem.MountPoint point : view.getMountPoints()) {
      URI[] targets = point.getTargetFileSystemURIs();
      if (targets.length == 1) {
        mounts.add(new Mount(point.getMountedOnPath().toUri().getPath(), new Path(targets[0])));
      }
    }
  }

  /** Where a path of the view lies; empty if no mount point covers it. */
  Optional<Path> target(Path path) {
    String name = path.toUri().getPath();
    return longest(mounts.stream().filter(mount -> rest(name, mount.point()) != null).toList())
        .map(mount -> below(mount.target(), rest(name, mount.point())));
  }

  private static Optional<Mount> longest(List<Mount> candidates) {
    return candidates.stream().max(Comparator.comparingInt(mount -> mount.point().length()));
  }

  /** The path of the view for one of a filesystem below; that path itself if there is none. */
  Path point(Path target) {
    return mounts.stream()
        .filter(mount -> isOn(target, mount.target()))
        .max(Comparator.comparingInt(mount -> mount.target().toString().length()))
        .map(mount -> below(view.makeQualified(new Path(mount.point())), restOf(target, mount)))
        .orElse(target);
  }

  private static boolean isOn(Path path, Path target) {
    return isSame(path.toUri(), target.toUri())
        && rest(path.toUri().getPath(), target.toUri().getPath()) != null;
  }

  private static boolean isSame(URI one, URI other) {
    return Objects.equals(one.getScheme(), other.getScheme())
        && Objects.equals(one.getAuthority(), other.getAuthority());
  }

  private static String restOf(Path path, Mount mount) {
    return rest(path.toUri().getPath(), mount.target().toUri().getPath());
  }

  /**
   * What follows the directory in the name, without the slash; null if the name is not below it.
   */
  private static String rest(String name, String directory) {
    String start = directory.endsWith("/") ? directory : directory + "/";
    if (name.equals(directory)) {
      return "";
    }
    return name.startsWith(start) ? name.substring(start.length()) : null;
  }

  private static Path below(Path directory, String rest) {
    return rest.isEmpty() ? directory : new Path(directory, rest);
  }

  /** The filesystem below to which a target belongs. */
  Optional<FileSystem> below(Path target) throws IOException {
    for (FileSystem child : view.getChildFileSystems()) {
      if (isSame(child.getUri(), target.toUri())) {
        return Optional.of(child);
      }
    }
    return Optional.empty();
  }
}
