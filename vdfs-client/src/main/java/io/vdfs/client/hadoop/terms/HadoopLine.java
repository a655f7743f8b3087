package io.vdfs.client.hadoop.terms;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;

/**
 * What the Hadoop beside us knows, which may be older than the one that this was compiled with.
 * Stateless.
 */
public final class HadoopLine {
  private static final String LEASE_RECOVERABLE = "org.apache.hadoop.fs.LeaseRecoverable";
  private static final String BULK_DELETE = "org.apache.hadoop.fs.BulkDelete";
  private static final int CLASS_FILE_MAGIC = 0xCAFEBABE;
  private static final int JAVA_8 = 52;
  private static final int TEXT_CONSTANT = 1;
  private static final int CLASS_CONSTANT = 7;
  private static final int PUBLIC_INTERFACE = 0x0601; // public, interface, abstract

  private HadoopLine() {}

  /**
   * Whether this Hadoop has a name for a capability: one without a name cannot be used beside it.
   *
   * @param names Hadoop's class of such names
   */
  public static boolean names(Class<?> names, String capability) {
    return Arrays.stream(names.getFields())
        .filter(field -> Modifier.isStatic(field.getModifiers()))
        .anyMatch(field -> capability.equals(valueOf(field)));
  }

  private static Object valueOf(Field constant) {
    try {
      return constant.get(null);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("a public constant can't be read: constant=" + constant, e);
    }
  }

  /**
   * Whether our filesystem has a capability; one that this Hadoop, being older, has no name for is
   * not claimed.
   *
   * @param name in lower case
   * @param ours our filesystem
   */
  public static boolean hasCapability(String name, Class<?> ours) {
    return switch (name) {
      case CommonPathCapabilities.ETAGS_AVAILABLE,
          CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME,
          CommonPathCapabilities.FS_ACLS,
          CommonPathCapabilities.FS_APPEND,
          CommonPathCapabilities.FS_CHECKSUMS,
          CommonPathCapabilities.FS_CONCAT,
          CommonPathCapabilities.FS_MULTIPART_UPLOADER,
          CommonPathCapabilities.FS_PATHHANDLES,
          CommonPathCapabilities.FS_PERMISSIONS,
          CommonPathCapabilities.FS_TRUNCATE,
          CommonPathCapabilities.FS_XATTRS ->
          names(CommonPathCapabilities.class, name);
      case CommonPathCapabilities.LEASE_RECOVERABLE ->
          names(CommonPathCapabilities.class, name) && knowsLeaseRecovery(ours);
      default -> false;
    };
  }

  /** The options of {@code openFile()} that this Hadoop has: none before 3.3.5. */
  public static Set<String> openFileOptions() {
    try {
      return Options.OpenFileOptions.FS_OPTION_OPENFILE_STANDARD_OPTIONS;
    } catch (NoClassDefFoundError e) {
      return Set.of();
    }
  }

  /**
   * Whether ours implements the interface that Hadoop itself knows for recovering leases.
   *
   * @param ours our filesystem
   */
  static boolean knowsLeaseRecovery(Class<?> ours) {
    try {
      return ofHadoop(LEASE_RECOVERABLE).isAssignableFrom(ours);
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /**
   * Gives Hadoop the name of an interface that an older one lacks and that a public method of ours
   * returns: a program that asks for the methods of our filesystem, as Python's bridge to Java
   * does, would otherwise end with a NoClassDefFoundError. It is not simply a class of our jar,
   * because programs look for it to tell whether Hadoop has bulk deletion.
   */
  public static void completeTypes() {
    completeWith(BULK_DELETE);
  }

  /** Defines an interface without methods beside Hadoop's own, unless Hadoop has one. */
  static void completeWith(String name) {
    try {
      ofHadoop(name);
    } catch (ClassNotFoundException absent) {
      defineBesideHadoop(name);
    }
  }

  private static Class<?> ofHadoop(String name) throws ClassNotFoundException {
    return Class.forName(name, false, FileSystem.class.getClassLoader());
  }

  private static void defineBesideHadoop(String name) {
    try {
      MethodHandles.privateLookupIn(FileSystem.class, MethodHandles.lookup())
          .defineClass(emptyInterface(name));
    } catch (IllegalAccessException | LinkageError e) {
      // Hadoop is in a named module, or another copy of us was first: only reflection misses it
      return;
    }
  }

  /** A minimal class file, of a Java version that every Hadoop runs on. */
  private static byte[] emptyInterface(String name) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(CLASS_FILE_MAGIC);
      out.writeShort(0);
      out.writeShort(JAVA_8);
      out.writeShort(5); // constants, counted from 1
      writeClass(out, name.replace('.', '/'), 2);
      writeClass(out, "java/lang/Object", 4);
      out.writeShort(PUBLIC_INTERFACE);
      out.writeShort(1); // this class
      out.writeShort(3); // its superclass
      out.write(new byte[8]); // no interfaces, fields, methods and attributes
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * @param name number of the next constant
   */
  private static void writeClass(DataOutputStream out, String className, int name)
      throws IOException {
    out.writeByte(CLASS_CONSTANT);
    out.writeShort(name);
    out.writeByte(TEXT_CONSTANT);
    out.writeUTF(className);
  }
}
