package io.vdfs.datanode.command;

import io.vdfs.common.error.ErrorText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Runs a line of commands: each has {@code --help} and the common options, refuses what it does not
 * know, and ends with one of {@link ExitCodes}. A failure is told once, in one line. Stateless.
 */
public final class Commands {
  private static final int HELP_WIDTH = 110;

  private Commands() {}

  /**
   * Frames a root command with all its subcommands.
   *
   * @param root a command of picocli, to which subcommands may be added first
   */
  public static CommandLine frame(CommandLine root) {
    frame(root.getCommandSpec());
    CommonOptions.addTo(root.getCommandSpec());
    root.setUsageHelpWidth(HELP_WIDTH);
    root.setUsageHelpLongOptionsMaxWidth(HELP_WIDTH / 2);
    root.setParameterExceptionHandler(Commands::refuse);
    root.setExecutionExceptionHandler((failure, command, line) -> fail(failure, command));
    return root;
  }

  private static void frame(CommandSpec command) {
    command.exitCodeOnInvalidInput(ExitCodes.USAGE);
    command.exitCodeOnExecutionException(ExitCodes.FAILED);
    command.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Show this help.").build());
    command.usageMessage().sortOptions(false);
    command.subcommands().values().forEach(below -> frame(below.getCommandSpec()));
  }

  /**
   * @return exit code
   */
  public static int run(
      CommandLine framed, String[] arguments, OutputStream out, OutputStream err) {
    framed.setOut(new PrintWriter(out, true, Charset.defaultCharset()));
    framed.setErr(new PrintWriter(err, true, Charset.defaultCharset()));
    int code = execute(framed, arguments);
    framed.getOut().flush();
    framed.getErr().flush();
    return code;
  }

  private static int execute(CommandLine framed, String[] arguments) {
    try {
      return framed.execute(arguments);
    } catch (LinkageError | AssertionError | StackOverflowError e) {
      return fail(e, framed);
    }
  }

  /**
   * Refuses what the line says before a command and is not one of the {@link CommonOptions}.
   *
   * @param command below another one, while it is called
   * @throws ParameterException naming the first option of the command above
   */
  public static void requireNoneAbove(CommandSpec command) {
    CommandSpec above = command.parent();
    for (OptionSpec option : above.commandLine().getParseResult().matchedOptions()) {
      if (!CommonOptions.isOne(option, command)) {
        throw new ParameterException(
            command.commandLine(),
            "%s belongs to %s without %s"
                .formatted(option.longestName(), above.name(), command.name()));
      }
    }
  }

  private static int refuse(ParameterException refused, String[] arguments) {
    CommandLine command = refused.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    StringBuilder line =
        new StringBuilder(name).append(": ").append(ErrorText.line(refused.getMessage()));
    List<String> nearest =
        refused instanceof UnmatchedArgumentException unmatched
            ? unmatched.getSuggestions()
            : List.of();
    if (!nearest.isEmpty()) {
      line.append("; did you mean ").append(nearest.get(0)).append('?');
    }
    command.getErr().println(line.append("; see '").append(name).append(" --help'"));
    return ExitCodes.USAGE;
  }

  private static int fail(Throwable failure, CommandLine command) {
    CommonOptions options = CommonOptions.of(command.getCommandSpec());
    String hint =
        failure instanceof IOException || options.stacktrace()
            ? ""
            : "; this is a defect of VDFS: --stacktrace shows where";
    command
        .getErr()
        .println(command.getCommandSpec().qualifiedName() + ": " + ErrorText.of(failure) + hint);
    if (options.stacktrace()) {
      failure.printStackTrace(command.getErr());
    }
    return ExitCodes.FAILED;
  }
}
