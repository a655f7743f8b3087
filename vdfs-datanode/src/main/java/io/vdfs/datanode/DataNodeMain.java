package io.vdfs.datanode;

import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.machine.FatalErrors;
import picocli.CommandLine;

/** Main class of {@code bin/vdfs-daemon}. */
public final class DataNodeMain {
  private DataNodeMain() {}

  /**
   * Ends the process with one of {@link io.vdfs.datanode.command.ExitCodes}. Any failure, at the
   * start or later and on any thread, ends it with one line on standard error.
   */
  public static void main(String[] arguments) {
    FatalErrors fatal = new FatalErrors(System.err, System::exit);
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> fatal.accept(failure));
    System.exit(Commands.run(line(fatal), arguments, System.out, System.err));
  }

  static CommandLine line(FatalErrors fatal) {
    return Commands.frame(new CommandLine(new DaemonCommand(fatal)));
  }
}
