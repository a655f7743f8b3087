package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class AnsweredMemoryTest {
  private final AnsweredMemory memory = new AnsweredMemory();

  private static OptionalLong of(long mebibytes) {
    return OptionalLong.of(mebibytes);
  }

  @Test
  void shouldTakeWhatIsMeasuredWhereNoDataNodeEverAnswered() {
    assertEquals(of(50_000), memory.limit(of(50_000), false));
    assertEquals(of(30_000), memory.limit(of(30_000), true));
    assertEquals(of(30_000), memory.limit(of(50_000), false));
  }

  @Test
  void shouldNotGiveAwayWhatADataNodeHadThatIsDown() {
    memory.limit(of(30_000), true);
    assertEquals(of(30_000), memory.limit(of(42_000), false));
    assertEquals(of(20_000), memory.limit(of(20_000), false));
    assertEquals(of(30_000), memory.limit(of(42_000), false));
    assertEquals(of(31_000), memory.limit(of(31_000), true));
    assertEquals(of(31_000), memory.limit(of(42_000), false));
  }

  @Test
  void shouldKnowNothingWhereMemoryCannotBeMeasured() {
    memory.limit(of(30_000), true);
    assertEquals(OptionalLong.empty(), memory.limit(OptionalLong.empty(), false));
    assertEquals(OptionalLong.empty(), memory.limit(OptionalLong.empty(), true));
    assertEquals(of(30_000), memory.limit(of(30_000), false));
  }
}
