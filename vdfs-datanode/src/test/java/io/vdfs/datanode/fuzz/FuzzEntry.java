package io.vdfs.datanode.fuzz;

import java.lang.reflect.Constructor;

/** Where Jazzer comes in: hands its bytes to the test named by a property. */
public final class FuzzEntry {
  static final String TARGET = "vdfs.fuzz.target";

  private static FuzzContract target;

  private FuzzEntry() {}

  /** Called once before the first input. */
  public static void fuzzerInitialize() throws ReflectiveOperationException {
    Constructor<?> constructor = Class.forName(System.getProperty(TARGET)).getDeclaredConstructor();
    constructor.setAccessible(true);
    target = (FuzzContract) constructor.newInstance();
  }

  /** Called with each input; what it throws is a finding. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    target.run(input);
  }
}
