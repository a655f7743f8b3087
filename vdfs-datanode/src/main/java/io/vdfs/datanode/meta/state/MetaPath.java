package io.vdfs.datanode.meta.state;

import com.google.common.base.Splitter;
import com.google.common.base.Utf8;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import java.util.List;

/**
 * An absolute, normal path within the limits, by HDFS's rules: no empty, {@code .} or {@code ..}
 * component, no colon, no slash at the end. Immutable.
 *
 * @param text the path as given
 * @param components its names from the root down; none for the root itself
 */
public record MetaPath(String text, List<String> components) {
  private static final Splitter SLASH = Splitter.on('/');

  public MetaPath {
    components = List.copyOf(components);
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT, naming the path
   */
  public static MetaPath parse(String text, MetadataLimits limits) throws VdfsException {
    if (text.isEmpty() || text.charAt(0) != '/') {
      throw refused("must be absolute", text);
    }
    if (text.length() > limits.pathLength()) {
      throw refused("has more than " + limits.pathLength() + " characters", text);
    }
    if (text.length() == 1) {
      return new MetaPath(text, List.of());
    }
    List<String> components = SLASH.splitToList(text.substring(1));
    if (components.size() > limits.pathDepth()) {
      throw refused("has more than " + limits.pathDepth() + " components", text);
    }
    for (String component : components) {
      checkComponent(component, text, limits);
    }
    return new MetaPath(text, components);
  }

  private static void checkComponent(String component, String text, MetadataLimits limits)
      throws VdfsException {
    if (component.isEmpty() || component.equals(".") || component.equals("..")) {
      throw refused("must be normal, but has the component '" + component + "'", text);
    }
    if (component.indexOf(':') >= 0 || component.indexOf('\0') >= 0) {
      throw refused("must have neither ':' nor NUL", text);
    }
    if (utf8Length(component, text) > limits.componentBytes()) {
      throw refused("has a component of more than " + limits.componentBytes() + " bytes", text);
    }
  }

  private static int utf8Length(String component, String text) throws VdfsException {
    try {
      return Utf8.encodedLength(component);
    } catch (IllegalArgumentException e) {
      throw refused("must be well-formed Unicode", text);
    }
  }

  private static VdfsException refused(String rule, String text) {
    return new VdfsException(
        ErrorCode.INVALID_ARGUMENT, "a path " + rule + ": path=" + SentText.shown(text));
  }

  /**
   * Refuses the names that are kept for snapshots and for access by id, as HDFS does.
   *
   * @throws VdfsException INVALID_ARGUMENT, naming the path
   */
  public MetaPath requireCreatable() throws VdfsException {
    if (components.contains(".snapshot") || (!isRoot() && components.get(0).equals(".reserved"))) {
      throw refused("must not use the reserved names .snapshot and /.reserved", text);
    }
    return this;
  }

  public boolean isRoot() {
    return components.isEmpty();
  }

  public int depth() {
    return components.size();
  }

  /** Its last component; empty for the root. */
  public String name() {
    return isRoot() ? "" : components.get(components.size() - 1);
  }

  /** The path made of the first {@code depth} components. */
  public String prefix(int depth) {
    return "/" + String.join("/", components.subList(0, depth));
  }

  /** Whether {@code other} lies below this path. */
  public boolean isAbove(MetaPath other) {
    return other.depth() > depth() && other.components.subList(0, depth()).equals(components);
  }

  @Override
  public String toString() {
    return text;
  }
}
