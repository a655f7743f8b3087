package io.vdfs.datanode.meta.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.meta.state.access.Access;
import java.util.Locale;

/**
 * Name of an extended attribute: a namespace and a name in it. Immutable.
 *
 * <p>As in HDFS, {@code user} is open to everyone who may access the inode and {@code trusted} to
 * the superuser; {@code system}, {@code security} and {@code raw} are not for applications.
 */
public record XAttrName(String namespace, String name) {
  /** The namespace of applications. */
  public static final String USER = "user";

  private static final String TRUSTED = "trusted";

  /**
   * @param text such as {@code user.comment}; case matters only in the name
   * @throws VdfsException INVALID_ARGUMENT
   */
  public static XAttrName parse(String text) throws VdfsException {
    int dot = text.indexOf('.');
    String namespace = dot < 0 ? "" : text.substring(0, dot).toLowerCase(Locale.ROOT);
    switch (namespace) {
      case USER, TRUSTED, "system", "security", "raw" -> {}
      default ->
          throw Refusals.invalid(
              "an attribute's name begins with user., trusted., security., system. or raw.: name=%s"
                  .formatted(SentText.shown(text)));
    }
    if (dot == text.length() - 1) {
      throw Refusals.invalid("an attribute needs a name after its namespace: name=" + text);
    }
    return new XAttrName(namespace, text.substring(dot + 1));
  }

  /**
   * As {@link #parse}, for a caller that asks for the attribute by its name.
   *
   * @throws VdfsException PERMISSION_DENIED if its namespace is not for the caller
   */
  public static XAttrName accessible(String text, Access access) throws VdfsException {
    XAttrName name = parse(text);
    if (!name.isAccessibleTo(access)) {
      throw access.denied("namespace of attribute: name=" + SentText.shown(name.full()));
    }
    return name;
  }

  /** The namespace in lower case, a dot and the name. */
  public String full() {
    return namespace + "." + name;
  }

  public boolean isUser() {
    return namespace.equals(USER);
  }

  public boolean isAccessibleTo(Access access) {
    return isUser() || (namespace.equals(TRUSTED) && access.isSuperuser());
  }

  /** UTF-8 bytes of the name without its namespace. */
  public int bytes() {
    return name.getBytes(UTF_8).length;
  }
}
