package io.vdfs.cli;

import io.vdfs.common.build.BuildVersion;
import io.vdfs.datanode.command.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs version}: the release installed here; {@code vdfs report} shows what the nodes run.
 */
@Command(name = "version", description = "Release and commit of this installation, and its Java.")
final class VersionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    BuildVersion build = BuildVersion.running();
    spec.commandLine()
        .getOut()
        .printf(
            "VDFS %s, commit %s, Java %s%n",
            build.version(), build.commit(), System.getProperty("java.version"));
    return ExitCodes.SOUND;
  }
}
