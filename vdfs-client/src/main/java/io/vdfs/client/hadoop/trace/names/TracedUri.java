package io.vdfs.client.hadoop.trace.names;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.net.URI;
import java.util.Locale;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;

/**
 * How names of a traced filesystem stand for those of the one inside: {@code
 * trace://SCHEME-AUTHORITY/path} is {@code SCHEME://AUTHORITY/path}; the authority may be empty.
 * Immutable.
 *
 * @param outer {@code trace://SCHEME-AUTHORITY}
 * @param inner {@code SCHEME://AUTHORITY}, or {@code SCHEME:///}
 */
public record TracedUri(URI outer, URI inner) {
  public static final String SCHEME = "trace";

  /**
   * @param conf says which authority is meant where none is given, as everywhere in Hadoop: that of
   *     {@code fs.defaultFS} if its scheme is the same
   * @throws VdfsException MISCONFIGURED if no filesystem is named, or a traced one
   */
  public static TracedUri of(URI name, Configuration conf) throws VdfsException {
    String authority = name.getRawAuthority();
    int dash = authority == null ? -1 : authority.indexOf('-');
    if (dash < 1) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("a traced filesystem is trace://SCHEME-AUTHORITY/path, such as"
                  + " trace://hdfs-nn:8020/d or trace://file-/tmp: uri=%s")
              .formatted(name));
    }
    URI inner = innerOf(authority);
    if (SCHEME.equals(inner.getScheme())) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED, "a traced filesystem inside of a traced one: uri=" + name);
    }
    URI usual = FileSystem.getDefaultUri(conf);
    if (inner.getRawAuthority() == null
        && inner.getScheme().equals(usual.getScheme())
        && usual.getRawAuthority() != null) {
      inner = URI.create(inner.getScheme() + "://" + usual.getRawAuthority());
    }
    return new TracedUri(URI.create(SCHEME + "://" + authority), inner);
  }

  private static URI innerOf(String authority) {
    int dash = authority.indexOf('-');
    String scheme = authority.substring(0, dash).toLowerCase(Locale.ROOT);
    String rest = authority.substring(dash + 1);
    return URI.create(scheme + "://" + (rest.isEmpty() ? "/" : rest));
  }

  /**
   * The path to hand to the filesystem inside; one without a scheme stays as it is.
   *
   * @throws IllegalArgumentException if it is a path of another filesystem
   */
  public Path inner(Path path) {
    if (path == null) {
      return null;
    }
    URI uri = path.toUri();
    if (uri.getScheme() == null && uri.getAuthority() == null) {
      return path;
    }
    boolean traced = uri.getScheme() == null || SCHEME.equalsIgnoreCase(uri.getScheme());
    String authority = uri.getRawAuthority();
    if (!traced || authority == null || authority.indexOf('-') < 1) {
      throw new IllegalArgumentException("Wrong FS: " + path + ", expected: " + outer);
    }
    // one that names the port, or leaves it out, is for the filesystem inside to judge
    URI named = authority.equalsIgnoreCase(outer.getRawAuthority()) ? inner : innerOf(authority);
    return new Path(named.getScheme(), named.getRawAuthority(), uri.getPath());
  }

  /**
   * A path of the filesystem inside, as callers of this one name it; paths of others stay as they
   * are.
   */
  public Path outer(Path path) {
    if (path == null) {
      return null;
    }
    URI uri = path.toUri();
    if (!inner.getScheme().equalsIgnoreCase(uri.getScheme())
        || !Objects.equals(lower(inner.getRawAuthority()), lower(uri.getRawAuthority()))) {
      return path;
    }
    return new Path(SCHEME, outer.getRawAuthority(), uri.getPath());
  }

  private static String lower(String text) {
    return text == null ? null : text.toLowerCase(Locale.ROOT);
  }

  public Path[] innerAll(Path[] paths) {
    Path[] named = new Path[paths.length];
    for (int i = 0; i < paths.length; i++) {
      named[i] = inner(paths[i]);
    }
    return named;
  }

  /** A status that says what the one from inside says, with the path that callers use. */
  public FileStatus outerStatus(FileStatus status) {
    if (status instanceof LocatedFileStatus located) {
      return outerLocated(located);
    }
    return status == null ? null : TracedStatus.of(status, outer(status.getPath()));
  }

  public LocatedFileStatus outerLocated(LocatedFileStatus status) {
    return status == null ? null : TracedLocatedStatus.of(status, outer(status.getPath()));
  }

  public FileStatus[] outerStatuses(FileStatus[] statuses) {
    if (statuses == null) {
      return null;
    }
    FileStatus[] named = new FileStatus[statuses.length];
    for (int i = 0; i < statuses.length; i++) {
      named[i] = outerStatus(statuses[i]);
    }
    return named;
  }

  /**
   * The status that the filesystem inside gave; a copy if it was serialized meanwhile, or was given
   * another path.
   */
  public FileStatus innerStatus(FileStatus status) {
    if (status == null) {
      return null;
    }
    String scheme = status.getPath().toUri().getScheme();
    boolean foreign = scheme != null && !SCHEME.equalsIgnoreCase(scheme);
    Path path = foreign ? status.getPath() : inner(status.getPath());
    if (status instanceof WrappedStatus around
        && around.wrapped() != null
        && around.wrapped().getPath().equals(path)) {
      return around.wrapped();
    }
    FileStatus copy = copy(status, path);
    return status instanceof LocatedFileStatus located
        ? new LocatedFileStatus(copy, located.getBlockLocations())
        : copy;
  }

  private static FileStatus copy(FileStatus status, Path path) {
    return new FileStatus(
        status.getLen(),
        status.isDirectory(),
        status.getReplication(),
        status.getBlockSize(),
        status.getModificationTime(),
        status.getAccessTime(),
        status.getPermission(),
        status.getOwner(),
        status.getGroup(),
        null,
        path,
        FileStatus.attributes(
            status.hasAcl(),
            status.isEncrypted(),
            status.isErasureCoded(),
            status.isSnapshotEnabled()));
  }
}
