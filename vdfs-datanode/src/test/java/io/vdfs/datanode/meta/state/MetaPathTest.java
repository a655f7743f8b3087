package io.vdfs.datanode.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetaPathTest {
  private static MetaPath parse(String text) throws VdfsException {
    return MetaPath.parse(text, MetadataLimits.DEFAULT);
  }

  private static void assertRefused(String text) {
    VdfsException refusal = assertThrows(VdfsException.class, () -> parse(text));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertTrue(refusal.getMessage().contains("path="), refusal::getMessage);
    assertTrue(refusal.getMessage().length() < 500, "message repeats a huge path");
  }

  @Test
  void shouldSplitAPath() throws VdfsException {
    assertEquals(List.of("a", "b c", "\u00e4"), parse("/a/b c/\u00e4").components());
    assertEquals("/a/b c", parse("/a/b c/x").prefix(2));
    assertTrue(parse("/").isRoot());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "a/b",
        "//",
        "/a/",
        "/a//b",
        "/.",
        "/..",
        "/a/./b",
        "/a/../b",
        "/a:b",
        "/a\0b",
        "/\ud800",
        "hdfs://x/y"
      })
  void shouldRefuseWhatIsNotAbsoluteAndNormal(String text) {
    assertRefused(text);
  }

  @Test
  void shouldBoundLengthDepthAndComponents() throws VdfsException {
    assertEquals(255, parse("/" + "a".repeat(255)).name().length());
    assertRefused("/" + "a".repeat(256));
    assertRefused("/" + "\u00e4".repeat(128));
    assertEquals(1_000, parse("/a".repeat(1_000)).depth());
    assertRefused("/a".repeat(1_001));
    assertEquals(8_000, parse(("/" + "a".repeat(99)).repeat(80)).text().length());
    assertRefused(("/" + "a".repeat(99)).repeat(80) + "/b");
    assertRefused("/" + "a".repeat(4 << 20));
  }

  @Test
  void shouldKnowWhatLiesBelow() throws VdfsException {
    assertTrue(parse("/a").isAbove(parse("/a/b")));
    assertTrue(parse("/").isAbove(parse("/a")));
    assertFalse(parse("/a").isAbove(parse("/ab")));
    assertFalse(parse("/a").isAbove(parse("/a")));
  }

  @Test
  void shouldKeepReservedNames() throws VdfsException {
    assertThrows(VdfsException.class, () -> parse("/a/.snapshot").requireCreatable());
    assertThrows(VdfsException.class, () -> parse("/.snapshot/a").requireCreatable());
    assertThrows(VdfsException.class, () -> parse("/.reserved/raw").requireCreatable());
    assertEquals("/a/.reserved", parse("/a/.reserved").requireCreatable().text());
  }
}
