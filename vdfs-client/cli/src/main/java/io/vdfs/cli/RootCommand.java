package io.vdfs.cli;

import io.vdfs.datanode.command.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code vdfs} without a command: lists the commands. */
@Command(
    name = "vdfs",
    description = "Commands around a VDFS cluster.",
    footer = {
      "",
      "vdfs quickstart [--size MIB] [FILE...] tries VDFS on this machine: daemons, YARN, stock"
          + " jobs.",
      "",
      "Exit codes: 0 sound, 1 failed, 2 degraded, 64 wrong usage."
    })
final class RootCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return ExitCodes.SOUND;
  }
}
