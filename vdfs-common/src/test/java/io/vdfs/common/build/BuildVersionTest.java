package io.vdfs.common.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.jar.Attributes;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;

class BuildVersionTest {
  private static Manifest manifest(String version, String commit) {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
    manifest.getMainAttributes().put(new Attributes.Name("Implementation-Commit"), commit);
    return manifest;
  }

  @Test
  void shouldReadTheManifestOfTheJarThatAClassComesFrom() {
    // a class of the test framework, which is in a jar whatever builds this
    BuildVersion junit = BuildVersion.of(Test.class);
    assertNotEquals(BuildVersion.UNKNOWN, junit.version());
    assertEquals(BuildVersion.UNKNOWN, junit.commit());
  }

  @Test
  void shouldNameReleaseAndCommit() {
    BuildVersion build = BuildVersion.of(manifest("1.2", "0123456789abcdef0123"));
    assertEquals(new BuildVersion("1.2", "0123456789abcdef0123"), build);
    assertEquals("1.2 (0123456789ab)", build.toString());
  }

  @Test
  void shouldSayThatItDoesNotKnow() {
    BuildVersion unknown = new BuildVersion("unknown", "unknown");
    assertEquals(unknown, BuildVersion.of(BuildVersionTest.class));
    assertEquals(unknown, BuildVersion.of((Manifest) null));
    assertEquals(unknown, BuildVersion.of(new Manifest()));
    assertEquals(unknown, BuildVersion.of(manifest("", " ")));
    assertEquals("unknown (unknown)", unknown.toString());
  }
}
