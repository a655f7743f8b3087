package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.command.ExitCodes;
import io.vdfs.datanode.machine.FatalErrors;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class DaemonCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final FatalErrors fatal = new FatalErrors(new PrintStream(err), code -> {});

  @TempDir private Path conf;

  private int run(String... arguments) {
    return Commands.run(DataNodeMain.line(fatal), arguments, out, err);
  }

  private String error() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldTakeDirectoriesThatMayBeEmpty() {
    CommandLine line = DataNodeMain.line(fatal);
    line.parseArgs("--accept-empty", "/d0", "--conf", "/etc/vdfs", "--accept-empty", "/d1/");
    DaemonCommand command = line.getCommand();
    assertEquals(Set.of(Path.of("/d0"), Path.of("/d1")), command.acceptedEmpty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--conf",
        "/etc/vdfs",
        "--accept-empty",
        "--accept-loss",
        "--accept-empty /d0 metadata-recover",
        "--accept-empty /d0 cluster-restore",
        "metadata-recover --accept-los",
        "cluster-restore now"
      })
  void shouldRefuseAnythingElse(String arguments) {
    assertEquals(ExitCodes.USAGE, run(arguments.split(" ")));
    assertEquals(1, error().lines().count(), error());
    assertTrue(error().startsWith("vdfs-daemon"), error());
    assertTrue(error().contains("--help'"), error());
    assertEquals("", out.toString(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "-h", "metadata-recover --help", "cluster-restore -h"})
  void shouldTellHowItIsUsedWithoutSettings(String arguments) {
    assertEquals(ExitCodes.SOUND, run(arguments.split(" ")));
    String help = out.toString(StandardCharsets.UTF_8);
    assertTrue(help.startsWith("Usage: vdfs-daemon"), help);
    assertTrue(help.contains("--conf"), help);
    assertEquals("", error());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "metadata-recover", "cluster-restore"})
  void shouldNameTheFileThatIsMissing(String command) {
    for (List<String> line :
        List.of(List.of("--conf", conf.toString(), command), List.of(command, "--conf=" + conf))) {
      err.reset();
      String[] arguments = line.stream().filter(part -> !part.isEmpty()).toArray(String[]::new);
      assertEquals(ExitCodes.FAILED, run(arguments));
      assertEquals(1, error().lines().count(), error());
      assertTrue(error().contains("no configuration file " + conf), error());
    }
  }

  @Test
  void shouldShowATraceOnlyIfItIsAskedFor() throws Exception {
    Files.writeString(conf.resolve("vdfs-site.xml"), "<configuration/>");
    assertEquals(ExitCodes.FAILED, run("--conf", conf.toString(), "--stacktrace"));
    assertTrue(error().startsWith("vdfs-daemon: vdfs.data.dirs="), error());
    assertTrue(error().contains("at io.vdfs.datanode.DaemonSettings.of"), error());
  }
}
