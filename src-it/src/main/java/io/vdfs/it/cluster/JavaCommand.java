package io.vdfs.it.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines of JVMs with the class path of this one. Stateless. */
public final class JavaCommand {
  /** Options for a cheap start of a JVM: a build has hundreds of them. */
  static final List<String> QUICK_START =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote");

  private JavaCommand() {}

  /**
   * @param confDirectory goes first on the class path
   * @param maxHeap as in {@code 256m}
   */
  public static List<String> of(
      Path confDirectory, String maxHeap, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(QUICK_START);
    command.add("-Xmx" + maxHeap);
    command.add("-cp");
    command.add(confDirectory + ":" + classPath());
    command.add(mainClass);
    command.addAll(arguments);
    return command;
  }

  /** Class path of this JVM. */
  public static String classPath() {
    return System.getProperty("java.class.path");
  }
}
