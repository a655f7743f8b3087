package io.vdfs.mapreduce.plan;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;

/**
 * Whether a format does more than cut each file by size, so that its splits must stay: formats of
 * records of one length choose a size that no record crosses. Stateless.
 */
public final class OwnSplits {
  private static final Set<String> HOOKS = Set.of("getSplits", "computeSplitSize", "makeSplit");

  private OwnSplits() {}

  /**
   * Whether a class from {@code format} up to below {@code base} declares one of the methods by
   * which formats plan splits.
   *
   * @param base Hadoop's {@code FileInputFormat} of either API
   * @param format a class that reads splits, a subclass of {@code base} or not
   */
  public static boolean arePlannedBy(Class<?> format, Class<?> base) {
    for (Class<?> type = format; type != null && type != base; type = type.getSuperclass()) {
      if (declaresHook(type)) {
        return true;
      }
    }
    return false;
  }

  /** Also where that can't be told, as a type is missing here that one of its methods names. */
  private static boolean declaresHook(Class<?> type) {
    try {
      return Arrays.stream(type.getDeclaredMethods()).anyMatch(OwnSplits::plans);
    } catch (NoClassDefFoundError e) {
      return true;
    }
  }

  private static boolean plans(Method method) {
    int modifiers = method.getModifiers();
    return HOOKS.contains(method.getName())
        && !Modifier.isStatic(modifiers)
        && !Modifier.isPrivate(modifiers);
  }
}
