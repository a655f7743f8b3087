package io.vdfs.mapreduce.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class DrawSettingsTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void shouldAuditStealAndEndNoTaskEarlyByDefault() throws IOException {
    assertEquals(new DrawSettings(true, false, true, EarlyEnd.NEVER), DrawSettings.of(conf));
  }

  @Test
  void shouldTakeWhatTheJobSays() throws IOException {
    conf.setBoolean(InputKeys.WHOLE_GROUPS, true);
    conf.setBoolean(InputKeys.STEALING, false);
    conf.set(InputKeys.TASK_BYTES, "2g");
    conf.set(InputKeys.YIELD_AFTER, "5s");

    assertEquals(
        new DrawSettings(true, true, false, new EarlyEnd(2L << 30, Long.MAX_VALUE)),
        DrawSettings.of(conf));

    conf.unset(InputKeys.TASK_BYTES);
    conf.unset(InputKeys.STEALING);
    conf.setBoolean(InputKeys.YIELDING, true);

    assertEquals(Duration.ofSeconds(5).toNanos(), DrawSettings.of(conf).early().yieldNanos());
  }

  @Test
  void shouldDoWithoutTheAuditWhereAllOfTheInputIsRead() throws IOException {
    conf.setBoolean(InputKeys.AUDIT, false);

    assertEquals(new DrawSettings(false, false, true, EarlyEnd.NEVER), DrawSettings.of(conf));
  }

  @Test
  void shouldRefuseWhatCannotWork() {
    assertRefused("vdfs.mapreduce.task.bytes=0 must be", InputKeys.TASK_BYTES, "0");
    assertRefused("must not be negative", InputKeys.YIELDING, "true", InputKeys.YIELD_AFTER, "-1s");
    assertRefused("vdfs.mapreduce.yield.after=soon", InputKeys.YIELD_AFTER, "soon");
    assertRefused("vdfs.mapreduce.task.bytes=much", InputKeys.TASK_BYTES, "much");
    assertRefused("set one of them only", InputKeys.YIELDING, "true", InputKeys.TASK_BYTES, "1");
    assertRefused(
        "vdfs.mapreduce.yielding=true needs vdfs.mapreduce.stealing=true",
        InputKeys.YIELDING,
        "true",
        InputKeys.STEALING,
        "false");
    String audit = InputKeys.AUDIT;
    assertRefused("vdfs.mapreduce.yielding=true needs", audit, "false", InputKeys.YIELDING, "true");
    assertRefused("vdfs.mapreduce.task.bytes=1 needs", audit, "false", InputKeys.TASK_BYTES, "1");
    assertRefused(
        "vdfs.mapreduce.stealing=false needs", audit, "false", InputKeys.STEALING, "false");
  }

  private static void assertRefused(String part, String... keysAndValues) {
    Configuration conf = new Configuration(false);
    for (int i = 0; i < keysAndValues.length; i += 2) {
      conf.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    IOException refused = assertThrows(IOException.class, () -> DrawSettings.of(conf));
    assertTrue(refused.getMessage().contains(part), refused.getMessage());
  }

  @Test
  void shouldNameTheNearestKeyForAnUnknownOne() {
    conf.set("vdfs.mapreduce.stealling", "false");
    conf.set(InputKeys.STREAM_ID, "00");
    conf.set("mapreduce.job.name", "a");

    assertEquals(
        List.of(
            "unknown key in the job's settings, it changes nothing: vdfs.mapreduce.stealling; did"
                + " you mean vdfs.mapreduce.stealing?"),
        DrawSettings.unknownKeys(conf));
  }

  @Test
  void shouldKnowAllKeys() throws IllegalAccessException {
    Set<String> declared = new TreeSet<>();
    for (Field field : InputKeys.class.getDeclaredFields()) {
      if (field.getType() == String.class && Modifier.isFinal(field.getModifiers())) {
        declared.add((String) field.get(null));
      }
    }
    declared.remove(InputKeys.PREFIX);

    assertEquals(declared, new TreeSet<>(InputKeys.KEYS));
  }
}
