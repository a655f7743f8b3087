package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DataNodeMainTest {
  @Test
  void shouldTakeDirectoriesThatMayBeEmpty() {
    assertEquals(Optional.of(Set.of()), DataNodeMain.acceptedEmpty(List.of("--conf", "/etc/vdfs")));
    assertEquals(
        Optional.of(Set.of(Path.of("/d0"), Path.of("/d1"))),
        DataNodeMain.acceptedEmpty(
            List.of("--conf", "/etc/vdfs", "--accept-empty", "/d0", "--accept-empty", "/d1/")));
  }

  @Test
  void shouldRefuseAnythingElse() {
    for (List<String> wrong :
        List.of(
            List.<String>of(),
            List.of("--conf"),
            List.of("/etc/vdfs", "--conf"),
            List.of("--conf", "/etc/vdfs", "--accept-empty"),
            List.of("--conf", "/etc/vdfs", "--accept-loss", "/d0"))) {
      assertEquals(Optional.empty(), DataNodeMain.acceptedEmpty(wrong), wrong.toString());
    }
  }
}
