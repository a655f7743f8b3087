package io.vdfs.common.build;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.util.jar.Attributes;
import java.util.jar.Manifest;

/**
 * Release and commit of a build. Immutable.
 *
 * @param version of the release
 * @param commit from which it was built; changes that were not committed do not show
 */
public record BuildVersion(String version, String commit) {
  static final String UNKNOWN = "unknown";

  private static final String VERSION = Attributes.Name.IMPLEMENTATION_VERSION.toString();
  private static final String COMMIT = "Implementation-Commit";
  private static final int SHORT_COMMIT = 12;

  private static final BuildVersion RUNNING = of(BuildVersion.class);

  /** The version of the running code; unknown where it does not come from a jar. */
  public static BuildVersion running() {
    return RUNNING;
  }

  /** The version of the jar that a class comes from. */
  static BuildVersion of(Class<?> type) {
    URL location = type.getResource(type.getSimpleName() + ".class");
    try {
      return location != null && location.openConnection() instanceof JarURLConnection jar
          ? of(jar.getManifest())
          : new BuildVersion(UNKNOWN, UNKNOWN);
    } catch (IOException e) {
      return new BuildVersion(UNKNOWN, UNKNOWN); // it is only shown, so it never fails
    }
  }

  static BuildVersion of(Manifest manifest) {
    Attributes attributes = manifest == null ? new Attributes() : manifest.getMainAttributes();
    return new BuildVersion(value(attributes, VERSION), value(attributes, COMMIT));
  }

  private static String value(Attributes attributes, String name) {
    String value = attributes.getValue(name);
    return value == null || value.isBlank() ? UNKNOWN : value;
  }

  /** Release and the beginning of the commit, for people. */
  @Override
  public String toString() {
    return version + " (" + commit.substring(0, Math.min(SHORT_COMMIT, commit.length())) + ")";
  }
}
