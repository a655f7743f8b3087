package io.vdfs.datanode.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class CommandsTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Callable<Integer> task = () -> ExitCodes.DEGRADED;

  @Command(name = "top")
  private static final class Top {}

  @Command(name = "work")
  private final class Work implements Callable<Integer> {
    @Override
    public Integer call() throws Exception {
      return task.call();
    }
  }

  private int run(String... arguments) {
    CommandLine line = new CommandLine(new Top());
    line.addSubcommand(new Work());
    return Commands.run(Commands.frame(line), arguments, out, err);
  }

  private String error() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldEndAsTheCommandSays() {
    assertEquals(ExitCodes.DEGRADED, run("work"));
    assertEquals("", error());
  }

  @Test
  void shouldNeedACommandThatItKnows() {
    assertEquals(ExitCodes.USAGE, run());
    assertEquals(ExitCodes.USAGE, run("works"));
    assertTrue(error().contains("did you mean work?"), error());
    assertEquals(2, error().lines().count(), error());
  }

  @Test
  void shouldTellAFailureOnceAndInOneLine() {
    task =
        () -> {
          throw new VdfsException(
              ErrorCode.UNAVAILABLE,
              "nobody answers:\n  start a node",
              new IllegalStateException());
        };
    assertEquals(ExitCodes.FAILED, run("work"));
    assertEquals("top work: nobody answers: start a node" + System.lineSeparator(), error());
  }

  @Test
  void shouldNameTheClassWhereTheMessageAloneSaysLittle() {
    task =
        () -> {
          throw new NoSuchFileException("/d1");
        };
    run("work");
    assertTrue(error().contains("top work: java.nio.file.NoSuchFileException: /d1"), error());
  }

  @Test
  void shouldNeverSayNull() {
    task =
        () -> {
          throw new IllegalStateException((String) null);
        };
    assertEquals(ExitCodes.FAILED, run("work"));
    assertTrue(error().contains("IllegalStateException; this is a defect"), error());
    assertFalse(error().contains("null"), error());
    assertFalse(error().contains("\tat "), error());

    err.reset();
    task =
        () -> {
          throw new ExceptionInInitializerError(new IllegalStateException("no class path"));
        };
    assertEquals(ExitCodes.FAILED, run("--stacktrace", "work"));
    assertTrue(error().contains("IllegalStateException: no class path"), error());
    assertFalse(error().contains("null"), error());
    assertTrue(error().contains("\tat "), error());
  }
}
