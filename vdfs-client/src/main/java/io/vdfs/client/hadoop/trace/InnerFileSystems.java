package io.vdfs.client.hadoop.trace;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.hadoop.trace.names.TracedUri;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Filesystems that the tracing one opens for itself, and what they may be. Stateless. */
final class InnerFileSystems {
  private static final Logger LOG = LoggerFactory.getLogger(InnerFileSystems.class);

  /** Traced filesystems that lead to each other are given up here. */
  private static final int MOST_NESTED = 4;

  private static final ThreadLocal<Integer> NESTED = ThreadLocal.withInitial(() -> 0);

  private InnerFileSystems() {}

  /**
   * Whether this thread is about to open a traced filesystem, or to look at its sink: a traced
   * filesystem that it opens meanwhile lies inside that one or its sink, and is opened only to be
   * refused.
   */
  static boolean isNested() {
    return NESTED.get() > 0;
  }

  /**
   * Opens the filesystem inside of a traced one, if that may be traced.
   *
   * @throws VdfsException MISCONFIGURED if it leads to a traced one, or the sink to what is traced
   */
  static FileSystem open(URI name, TracedUri uri, TraceSettings settings, Configuration conf)
      throws IOException {
    int nested = NESTED.get();
    if (nested >= MOST_NESTED) {
      throw nested(name);
    }
    NESTED.set(nested + 1);
    try {
      FileSystem inner = open(uri.inner(), conf);
      boolean sound = false;
      try {
        if (nested == 0) {
          requireUntraced(name, inner);
          requireOutside(settings, inner, conf);
        }
        sound = true;
        return inner;
      } finally {
        if (!sound) {
          inner.close();
        }
      }
    } finally {
      NESTED.set(nested);
    }
  }

  private static VdfsException nested(URI name) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED, "a traced filesystem inside of a traced one: uri=" + name);
  }

  /**
   * Opens a filesystem that is in no cache, so that no other code closes it, not even {@code
   * FileSystem.closeAll}.
   */
  static FileSystem open(URI uri, Configuration conf) throws IOException {
    Class<? extends FileSystem> type = FileSystem.getFileSystemClass(uri.getScheme(), conf);
    FileSystem opened = ReflectionUtils.newInstance(type, conf);
    boolean ready = false;
    try {
      opened.initialize(uri, conf);
      ready = true;
      return opened;
    } finally {
      if (!ready) {
        closeHalf(opened);
      }
    }
  }

  private static void closeHalf(FileSystem opened) {
    try {
      opened.close();
    } catch (IOException | RuntimeException e) {
      LOG.debug("cannot close a filesystem that did not open", e);
    }
  }

  private static void requireUntraced(URI uri, FileSystem inner) throws VdfsException {
    if (leaves(inner).stream().anyMatch(PassingFileSystem.class::isInstance)) {
      throw nested(uri);
    }
  }

  /**
   * Refuses a sink whose writing would be part of what is traced. A local directory is always
   * allowed.
   */
  private static void requireOutside(TraceSettings settings, FileSystem inner, Configuration conf)
      throws IOException {
    URI sink = sinkUri(settings, conf);
    if (TracedUri.SCHEME.equalsIgnoreCase(sink.getScheme())) {
      throw refused(settings, "is traced itself");
    }
    if ("file".equalsIgnoreCase(sink.getScheme())) {
      return;
    }
    try (FileSystem target = open(sink, conf)) {
      for (FileSystem part : leaves(target)) {
        if (part instanceof PassingFileSystem) {
          throw refused(settings, "leads to a filesystem that is traced");
        }
        for (FileSystem traced : leaves(inner)) {
          if (isSame(part, traced)) {
            throw refused(settings, "lies in " + traced.getUri() + ", which is traced");
          }
        }
      }
    }
  }

  /** That of the sink's filesystem; the usual one where the sink names none. */
  static URI sinkUri(TraceSettings settings, Configuration conf) {
    URI uri = settings.sink().toUri();
    URI usual = FileSystem.getDefaultUri(conf);
    if (uri.getScheme() == null) {
      return usual;
    }
    return uri.getRawAuthority() == null && uri.getScheme().equals(usual.getScheme()) ? usual : uri;
  }

  private static VdfsException refused(TraceSettings settings, String why) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        ("the sink of a trace %s: %s=%s; give a local directory, such as"
                + " file:///var/tmp/trace, or another filesystem")
            .formatted(why, TraceSettings.SINK, settings.sink()));
  }

  /** The filesystems that really keep files below one that passes on, such as viewfs. */
  private static List<FileSystem> leaves(FileSystem fileSystem) {
    List<FileSystem> leaves = new ArrayList<>();
    addLeaves(fileSystem, leaves);
    return leaves;
  }

  private static void addLeaves(FileSystem fileSystem, List<FileSystem> leaves) {
    FileSystem[] children =
        fileSystem instanceof PassingFileSystem ? null : fileSystem.getChildFileSystems();
    if (children == null || children.length == 0) {
      leaves.add(fileSystem);
      return;
    }
    for (FileSystem child : children) {
      addLeaves(child, leaves);
    }
  }

  private static boolean isSame(FileSystem one, FileSystem other) throws IOException {
    if (one instanceof VdfsFileSystem vdfs && other instanceof VdfsFileSystem otherVdfs) {
      return vdfs.isOfClusterOf(otherVdfs);
    }
    URI uri = one.getUri();
    URI otherUri = other.getUri();
    return uri.getScheme().equalsIgnoreCase(otherUri.getScheme())
        && !"file".equalsIgnoreCase(uri.getScheme())
        && Objects.equals(uri.getRawAuthority(), otherUri.getRawAuthority());
  }
}
