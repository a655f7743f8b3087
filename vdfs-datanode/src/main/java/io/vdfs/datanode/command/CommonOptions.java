package io.vdfs.datanode.command;

import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Options that every command takes at any place of its line. */
public final class CommonOptions {
  private static final String MIXIN = "commonOptions";

  @Option(
      names = "--conf",
      paramLabel = "DIR",
      scope = ScopeType.INHERIT,
      defaultValue = "${env:VDFS_CONF_DIR:-conf}",
      description = "Directory with vdfs-site.xml; now ${DEFAULT-VALUE}.")
  private Path conf;

  @Option(
      names = "--stacktrace",
      scope = ScopeType.INHERIT,
      description = "Show where a failure comes from.")
  private boolean stacktrace;

  private CommonOptions() {}

  /** Gives them to a command and to all below it. */
  static void addTo(CommandSpec root) {
    root.addMixin(MIXIN, CommandSpec.forAnnotatedObject(new CommonOptions()));
  }

  /** The common options of the line with which a command, or one below it, was called. */
  public static CommonOptions of(CommandSpec command) {
    return (CommonOptions) command.root().mixins().get(MIXIN).userObject();
  }

  /** Whether an option of a command's line is one of these. */
  public static boolean isOne(OptionSpec option, CommandSpec command) {
    return command.root().mixins().get(MIXIN).optionsMap().containsKey(option.longestName());
  }

  /** Directory that holds {@code vdfs-site.xml}. */
  public Path conf() {
    return conf;
  }

  boolean stacktrace() {
    return stacktrace;
  }
}
