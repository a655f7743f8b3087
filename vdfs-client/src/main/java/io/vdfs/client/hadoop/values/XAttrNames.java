package io.vdfs.client.hadoop.values;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.HadoopIllegalArgumentException;

/** The names that extended attributes may have, as in HDFS. Stateless. */
public final class XAttrNames {
  private static final Set<String> NAMESPACES =
      Set.of("user", "trusted", "security", "system", "raw");

  private XAttrNames() {}

  /**
   * The name of one attribute.
   *
   * @return the name with its namespace in lower case
   * @throws NullPointerException if there is none, as in HDFS
   * @throws HadoopIllegalArgumentException if it has no known namespace
   */
  public static String check(String name) {
    Objects.requireNonNull(name, "an extended attribute has a name");
    int dot = name.indexOf('.');
    String namespace = dot < 0 ? "" : name.substring(0, dot).toLowerCase(Locale.ENGLISH);
    if (!NAMESPACES.contains(namespace) || dot == name.length() - 1) {
      throw new HadoopIllegalArgumentException(
          ("an extended attribute is named user.NAME, trusted.NAME, security.NAME,"
                  + " system.NAME or raw.NAME: name=%s")
              .formatted(name));
    }
    return namespace + name.substring(dot);
  }

  /**
   * The names of several attributes.
   *
   * @return as {@link #check(String)} each
   * @throws HadoopIllegalArgumentException if there are none
   */
  public static List<String> check(List<String> names) {
    if (names == null || names.isEmpty()) {
      throw new HadoopIllegalArgumentException("no extended attribute is named: names=" + names);
    }
    return names.stream().map(XAttrNames::check).toList();
  }
}
