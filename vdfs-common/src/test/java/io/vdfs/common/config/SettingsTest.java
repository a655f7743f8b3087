package io.vdfs.common.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
  private static final Setting<Integer> PORT = new Setting<>("vdfs.port", "9861", Parsers::port);
  private static final Setting<Long> RESERVE = new Setting<>("vdfs.reserve", "1g", Parsers::size);

  @TempDir Path dir;

  @Test
  void shouldReturnDefaultWhenNotSet() throws VdfsException {
    SettingsReader reader = new SettingsReader(Map.of(), "vdfs-site.xml");
    assertEquals(9861, reader.get(PORT));
    assertEquals(1L << 30, reader.get(RESERVE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "65536", "http", "9 9", "99999999999999"})
  void shouldNameKeyValueAndSourceWhenMalformed(String text) {
    SettingsReader reader = new SettingsReader(Map.of("vdfs.port", text), "conf/vdfs-site.xml");
    VdfsException e = assertThrows(VdfsException.class, () -> reader.get(PORT));
    assertEquals(ErrorCode.MISCONFIGURED, e.code());
    assertEquals(
        "vdfs.port="
            + text
            + ": expected a whole number, 0 to 65535; correct it in"
            + " conf/vdfs-site.xml",
        e.getMessage());
  }

  @Test
  void shouldReadQuantities() {
    assertEquals(8L << 20, Parsers.size("8m"));
    assertEquals(4096, Parsers.size("4096"));
    assertEquals(Duration.ofMillis(1500), Parsers.duration("1500 ms"));
    assertEquals(Duration.ofDays(7), Parsers.duration("7d"));
    assertThrows(IllegalArgumentException.class, () -> Parsers.duration("10"));
    assertThrows(IllegalArgumentException.class, () -> Parsers.size("9999999999999t"));
    assertThrows(IllegalArgumentException.class, () -> Parsers.size("8x"));
  }

  @Test
  void shouldReadDirectories() {
    assertEquals(List.of(Path.of("/a"), Path.of("/b/c")), Parsers.directories(" /a, /b/d/../c ,"));
    assertThrows(IllegalArgumentException.class, () -> Parsers.directories("a"));
    assertThrows(IllegalArgumentException.class, () -> Parsers.directories(""));
    assertThrows(IllegalArgumentException.class, () -> Parsers.directories("/a,/a"));
  }

  @Test
  void shouldSuggestNearestKeyWhenUnknown() {
    SettingsReader reader =
        new SettingsReader(Map.of("vdfs.resrve", "1g", "other.key", "x"), "vdfs-site.xml");
    VdfsException e =
        assertThrows(
            VdfsException.class, () -> reader.requireKnown("vdfs.", List.of(PORT, RESERVE)));
    assertEquals(
        "unknown property vdfs.resrve in vdfs-site.xml; did you mean vdfs.reserve?",
        e.getMessage());
  }

  @Test
  void shouldReadSiteFile() throws IOException {
    Path file = dir.resolve("vdfs-site.xml");
    Files.writeString(
        file,
        "<?xml version=\"1.0\"?><configuration><!-- c --><property><name> a </name><value> 1"
            + " </value><description>d</description></property></configuration>");
    assertEquals(Map.of("a", "1"), SiteFile.read(file));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<configuration>",
        "<settings/>",
        "<configuration><property><name>a</name></property></configuration>",
        "<configuration><value>1</value></configuration>",
        "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><configuration><property>"
            + "<name>a</name><value>&e;</value></property></configuration>"
      })
  void shouldNameFileWhenMalformed(String xml) throws IOException {
    Path file = Files.writeString(dir.resolve("vdfs-site.xml"), xml);
    VdfsException e = assertThrows(VdfsException.class, () -> SiteFile.read(file));
    assertEquals(ErrorCode.MISCONFIGURED, e.code());
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
  }

  @Test
  void shouldNameCureWhenSiteFileMissing() {
    VdfsException e =
        assertThrows(VdfsException.class, () -> SiteFile.read(dir.resolve("vdfs-site.xml")));
    assertTrue(e.getMessage().contains("--conf"), e.getMessage());
  }
}
