package io.vdfs.datanode.store.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.hash.VanillaGlobalMutableState;
import net.openhft.chronicle.hash.VanillaGlobalMutableState$$Native;
import net.openhft.chronicle.values.ValueModel;
import net.openhft.chronicle.values.Values;
import net.openhft.compiler.CachedCompiler;
import org.junit.jupiter.api.Test;

/** The class that spares daemons a compiler keeps its bytes where the generated one does. */
class MapStateTest {
  private static final int SIZE = 25;

  @Test
  void shouldBeTheClassThatMapsUse() {
    assertEquals(
        VanillaGlobalMutableState$$Native.class,
        Values.nativeClassFor(VanillaGlobalMutableState.class));
  }

  /** What the library would compile if there were no such class, under another name. */
  private static VanillaGlobalMutableState generated() throws Exception {
    String name = "VanillaGlobalMutableStateGenerated";
    Method generator =
        Class.forName("net.openhft.chronicle.values.Generators")
            .getDeclaredMethod("generateNativeClass", ValueModel.class, String.class);
    generator.setAccessible(true);
    Object source =
        generator.invoke(null, ValueModel.acquire(VanillaGlobalMutableState.class), name);
    try (CachedCompiler compiler = new CachedCompiler(null, null)) {
      return (VanillaGlobalMutableState)
          compiler
              .loadFromJava("net.openhft.chronicle.hash." + name, (String) source)
              .getDeclaredConstructor()
              .newInstance();
    }
  }

  private static List<Long> values(VanillaGlobalMutableState state) {
    return List.of(
        (long) state.getAllocatedExtraTierBulks(),
        state.getFirstFreeTierIndex(),
        state.getExtraTiersInUse(),
        state.getSegmentHeadersOffset(),
        state.getDataStoreSize());
  }

  private static void fill(VanillaGlobalMutableState state, Random random) {
    state.setAllocatedExtraTierBulks(random.nextInt(1 << 24));
    state.setFirstFreeTierIndex(random.nextLong() & (1L << 40) - 1);
    state.setExtraTiersInUse(random.nextLong() & (1L << 40) - 1);
    state.setSegmentHeadersOffset(random.nextLong() & (1L << 32) - 1);
    state.setDataStoreSize(random.nextLong() >>> 2);
  }

  @Test
  void shouldKeepItsBytesWhereTheGeneratedClassDoes() throws Exception {
    VanillaGlobalMutableState theirs = generated();
    VanillaGlobalMutableState ours = new VanillaGlobalMutableState$$Native();
    assertEquals(SIZE, theirs.maxSize());
    assertEquals(SIZE, ours.maxSize());
    BytesStore<?, ?> bytes = BytesStore.wrap(ByteBuffer.allocate(64));
    theirs.bytesStore(bytes, 3, SIZE);
    ours.bytesStore(bytes, 3, SIZE);
    Random random = new Random(1);
    for (int i = 0; i < 1_000; i++) {
      fill(i % 2 == 0 ? ours : theirs, random);
      assertEquals(values(theirs), values(ours));
      assertEquals(theirs.getDataStoreSize() + 5, ours.addDataStoreSize(5));
      assertEquals(theirs.addDataStoreSize(7), ours.getDataStoreSize());
      assertEquals(0, bytes.readByte(2) | bytes.readByte(3 + SIZE), "beside its own bytes");
    }
  }

  @Test
  void shouldRefuseWhatDoesNotFit() {
    VanillaGlobalMutableState state = new VanillaGlobalMutableState$$Native();
    BytesStore<?, ?> bytes = BytesStore.wrap(ByteBuffer.allocate(32));
    assertThrows(IllegalArgumentException.class, () -> state.bytesStore(bytes, 8, SIZE));
    state.bytesStore(bytes, 0, SIZE);
    List<Long> before = values(state);
    assertThrows(IllegalArgumentException.class, () -> state.setAllocatedExtraTierBulks(1 << 24));
    assertThrows(IllegalArgumentException.class, () -> state.setFirstFreeTierIndex(1L << 40));
    assertThrows(IllegalArgumentException.class, () -> state.setExtraTiersInUse(-1));
    assertThrows(IllegalArgumentException.class, () -> state.setSegmentHeadersOffset(1L << 32));
    assertThrows(IllegalArgumentException.class, () -> state.addDataStoreSize(-1));
    assertEquals(before, values(state));
  }
}
