package io.vdfs.client.hadoop.terms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Options;
import org.junit.jupiter.api.Test;

class HadoopLineTest {
  @Test
  void shouldKnowWhatThisHadoopHasANameFor() {
    assertTrue(
        HadoopLine.names(
            CommonPathCapabilities.class, CommonPathCapabilities.FS_MULTIPART_UPLOADER));
    assertFalse(HadoopLine.names(CommonPathCapabilities.class, "fs.capability.of.tomorrow"));
    assertTrue(HadoopLine.knowsLeaseRecovery(VdfsFileSystem.class));
    assertEquals(
        Options.OpenFileOptions.FS_OPTION_OPENFILE_STANDARD_OPTIONS, HadoopLine.openFileOptions());
  }

  @Test
  void shouldGiveHadoopTheNameOfAnInterfaceThatItLacks() throws Exception {
    String name = "org.apache.hadoop.fs.MissingInHadoopLineTest";

    HadoopLine.completeWith(name);
    Class<?> made = Class.forName(name);
    HadoopLine.completeWith(name);

    assertTrue(made.isInterface());
    assertSame(FileSystem.class.getClassLoader(), made.getClassLoader());
    assertSame(made, Class.forName(name));
  }

  /** Either of the two may be the first that a class loader finds. */
  @Test
  void shouldCarryHadoopsInterfaceInHadoopsShape() throws Exception {
    URL hadoop = FileSystem.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader alone =
        new URLClassLoader(new URL[] {hadoop}, ClassLoader.getPlatformClassLoader())) {
      Class<?> theirs = alone.loadClass(LeaseRecoverable.class.getName());

      assertNotSame(theirs, LeaseRecoverable.class);
      assertEquals(shape(theirs), shape(LeaseRecoverable.class));
      assertEquals(theirs.toGenericString(), LeaseRecoverable.class.toGenericString());
      assertEquals(0, theirs.getInterfaces().length);
      assertEquals(0, theirs.getDeclaredFields().length);
    }
  }

  private static Set<String> shape(Class<?> type) {
    Set<String> methods = new TreeSet<>();
    Arrays.stream(type.getDeclaredMethods()).map(Method::toGenericString).forEach(methods::add);
    return methods;
  }
}
