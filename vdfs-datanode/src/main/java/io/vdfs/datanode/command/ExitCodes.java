package io.vdfs.datanode.command;

/** The exit codes of all commands. */
public final class ExitCodes {
  /** Done, and all is well as far as the command looked. */
  public static final int SOUND = 0;

  /** Not done, or the cluster does not serve. */
  public static final int FAILED = 1;

  /** Done, and the cluster serves, but something is missing that an operator should look at. */
  public static final int DEGRADED = 2;

  /** The command line is wrong; nothing was done. */
  public static final int USAGE = 64;

  private ExitCodes() {}
}
