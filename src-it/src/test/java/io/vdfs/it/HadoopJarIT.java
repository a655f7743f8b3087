package io.vdfs.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;

/** The jar that is put onto the class path of a Hadoop must neither clash nor lack anything. */
class HadoopJarIT {
  private static final Path JAR = Path.of(System.getProperty("vdfs.hadoop.jar"));
  private static final String SHADED = "io.vdfs.shaded.";

  /**
   * Hadoop before 3.3.6 lacks the interface, without which no filesystem that implements it loads.
   * Programs on Java 8 and 11 that look for it do not find it here.
   */
  @Test
  void shouldHoldOnlyClassesBelowOurPackageAndOneInterfaceOfHadoop() {
    assertEquals(
        List.of("META-INF/versions/17/org/apache/hadoop/fs/LeaseRecoverable.class"),
        entries().stream()
            .filter(name -> name.endsWith(".class") && !name.startsWith("io/vdfs/"))
            .toList());
  }

  @Test
  void shouldHoldNoNativeLibrary() {
    assertEquals(
        List.of(),
        entries().stream()
            .filter(
                name ->
                    name.startsWith("META-INF/native")
                        || name.matches(".*\\.(so|dll|jnilib|dylib|a)"))
            .toList());
  }

  /**
   * No service of Hadoop's is registered, as Hadoop loads all of them and fails if one does not
   * load.
   */
  @Test
  void shouldRegisterServicesByTheirRelocatedNamesOnly() {
    assertEquals(
        List.of(),
        entries().stream()
            .filter(name -> name.startsWith("META-INF/services/") && !name.endsWith("/"))
            .filter(name -> !name.startsWith("META-INF/services/io.vdfs."))
            .toList());
  }

  @Test
  void shouldCarryTheLicencesOfItsParts() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      for (String name :
          List.of(
              "META-INF/LICENSE",
              "META-INF/NOTICE",
              "META-INF/licenses/NOTICE-vdfs",
              "META-INF/licenses/LICENSE-protobuf",
              "META-INF/licenses/LICENSE-slf4j")) {
        assertNotNull(jar.getEntry(name), name);
      }
    }
  }

  @Test
  void shouldNameItsReleaseAndItsCommit() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      Attributes attributes = jar.getManifest().getMainAttributes();
      String version = attributes.getValue(Attributes.Name.IMPLEMENTATION_VERSION);
      assertTrue(JAR.getFileName().toString().contains(version), version);
      assertEquals("true", attributes.getValue(Attributes.Name.MULTI_RELEASE));
      String commit = attributes.getValue("Implementation-Commit");
      assertTrue(commit.matches("[0-9a-f]{40}|unknown"), commit);
    }
  }

  /** Netty's compression is third-party code under licences that this jar does not carry. */
  @Test
  void shouldHoldNoCompression() {
    assertEquals(
        List.of(),
        entries().stream().filter(name -> name.contains("/codec/compression/")).toList());
  }

  /** ZooKeeper and Netty find some of their classes by name, which relocation may miss. */
  @Test
  @Timeout(60)
  void shouldReachZooKeeperWithTheLoggingApiAlone() throws Exception {
    URL logging = Logger.class.getProtectionDomain().getCodeSource().getLocation();
    try (TestingServer server = new TestingServer();
        URLClassLoader isolated =
            new URLClassLoader(
                new URL[] {JAR.toUri().toURL(), logging}, ClassLoader.getPlatformClassLoader())) {
      assertTrue(connects(isolated, server.getConnectString()), server.getConnectString());
    }
  }

  private static boolean connects(ClassLoader loader, String address) throws Exception {
    Class<?> policy = loader.loadClass(SHADED + "org.apache.curator.RetryPolicy");
    Object once =
        loader
            .loadClass(SHADED + "org.apache.curator.retry.RetryOneTime")
            .getConstructor(int.class)
            .newInstance(100);
    Class<?> type = loader.loadClass(SHADED + "org.apache.curator.framework.CuratorFramework");
    try (AutoCloseable client =
        (AutoCloseable)
            loader
                .loadClass(SHADED + "org.apache.curator.framework.CuratorFrameworkFactory")
                .getMethod("newClient", String.class, policy)
                .invoke(null, address, once)) {
      type.getMethod("start").invoke(client);
      return (boolean)
          type.getMethod("blockUntilConnected", int.class, TimeUnit.class)
              .invoke(client, 30, TimeUnit.SECONDS);
    }
  }

  private static List<String> entries() {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      return jar.stream().map(ZipEntry::getName).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
