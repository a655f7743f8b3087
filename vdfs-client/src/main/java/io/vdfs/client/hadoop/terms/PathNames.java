package io.vdfs.client.hadoop.terms;

import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.Path;

/** Hadoop's paths as the metadata service names them. Stateless. */
public final class PathNames {
  /** Of the directory above all others. */
  public static final String ROOT = "/";

  private PathNames() {}

  /**
   * The path without scheme and authority.
   *
   * @param absolute with or without scheme and authority
   * @throws InvalidPathException if the path isn't absolute, or a component is {@code .} or {@code
   *     ..} or has a colon, which Hadoop couldn't list
   */
  public static String of(Path absolute) {
    String name = absolute.toUri().getPath();
    if (name.isEmpty() || name.equals(ROOT)) {
      return ROOT;
    }
    if (!name.startsWith(ROOT)) {
      throw new InvalidPathException(name, "the path is not absolute");
    }
    for (String component : name.substring(1).split("/", -1)) {
      if (component.isEmpty()
          || component.equals(".")
          || component.equals("..")
          || component.indexOf(':') >= 0
          || component.indexOf('\0') >= 0) {
        throw new InvalidPathException(name, "not a name for a file: component=" + component);
      }
    }
    return name;
  }
}
