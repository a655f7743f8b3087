package io.vdfs.mapreduce;

import io.vdfs.mapreduce.plan.OwnSplits;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * The format that parses the records, and what only its subclasses may ask of it: the list of input
 * files and whether one can be split. These two methods are protected in {@link FileInputFormat},
 * so they are called reflectively. Confined to the caller's thread.
 */
final class WrappedFormat<K, V> {
  private static final Method LIST_STATUS = method("listStatus", JobContext.class);
  private static final Method IS_SPLITABLE = method("isSplitable", JobContext.class, Path.class);

  private final FileInputFormat<K, V> format;

  private WrappedFormat(FileInputFormat<K, V> format) {
    this.format = format;
  }

  /**
   * @throws IOException if the class named by {@link InputKeys#WRAPPED_FORMAT} is missing or is no
   *     {@code FileInputFormat}
   */
  static <K, V> WrappedFormat<K, V> of(Configuration conf) throws IOException {
    try {
      Class<?> type = conf.getClass(InputKeys.WRAPPED_FORMAT, TextInputFormat.class);
      if (!FileInputFormat.class.isAssignableFrom(type)) {
        throw new IOException(
            "%s=%s is no subclass of %s; name the format that parses the records"
                .formatted(
                    InputKeys.WRAPPED_FORMAT, type.getName(), FileInputFormat.class.getName()));
      }
      @SuppressWarnings("unchecked") // the job declares the types of its records, as it always does
      FileInputFormat<K, V> format =
          (FileInputFormat<K, V>) ReflectionUtils.newInstance(type, conf);
      return new WrappedFormat<>(format);
    } catch (RuntimeException e) {
      throw new IOException(
          "%s=%s cannot be instantiated: %s"
              .formatted(
                  InputKeys.WRAPPED_FORMAT, conf.get(InputKeys.WRAPPED_FORMAT), e.getMessage()),
          e);
    }
  }

  FileInputFormat<K, V> format() {
    return format;
  }

  String name() {
    return format.getClass().getName();
  }

  /** Whether the format does more than cut each file by size, so that its splits must stay. */
  boolean plansItsOwnSplits() {
    return OwnSplits.arePlannedBy(format.getClass(), FileInputFormat.class);
  }

  /** The input files, expanded and filtered as the format does it. */
  List<FileStatus> listStatus(JobContext job) throws IOException {
    List<FileStatus> files = new ArrayList<>();
    for (Object file : (List<?>) invoke(LIST_STATUS, job)) {
      files.add((FileStatus) file);
    }
    return files;
  }

  /** Whether a reader of the format can begin anywhere in the file. */
  boolean isSplittable(JobContext job, Path file) throws IOException {
    return (Boolean) invoke(IS_SPLITABLE, job, file);
  }

  private Object invoke(Method method, Object... arguments) throws IOException {
    try {
      return method.invoke(format, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw new IOException(name() + "." + method.getName() + " failed: " + e.getCause(), e);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(method + " is not accessible", e);
    }
  }

  private static Method method(String name, Class<?>... parameters) {
    try {
      Method method = FileInputFormat.class.getDeclaredMethod(name, parameters);
      method.setAccessible(true);
      return method;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("FileInputFormat has no method " + name, e);
    }
  }
}
