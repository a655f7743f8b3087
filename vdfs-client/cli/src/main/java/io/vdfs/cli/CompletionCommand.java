package io.vdfs.cli;

import io.vdfs.datanode.command.ExitCodes;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code vdfs completion}: a script by which bash and zsh complete the commands. */
@Command(
    name = "completion",
    description = "Print a script for bash and zsh: source <(vdfs completion)")
final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine()
        .getOut()
        .println(AutoComplete.bash(spec.root().name(), spec.root().commandLine()));
    return ExitCodes.SOUND;
  }
}
