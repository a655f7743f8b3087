package io.vdfs.mapreduce.mapred;

import io.vdfs.mapreduce.plan.OwnSplits;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TextInputFormat;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * The format of the old API that parses the records, and what only its subclasses may ask of it:
 * the list of input files and whether one can be split. These two methods are protected in {@link
 * FileInputFormat}, so they are called reflectively. Confined to the caller's thread.
 */
final class WrappedFormat<K, V> {
  private static final Method LIST_STATUS = method("listStatus", JobConf.class);
  private static final Method IS_SPLITABLE = method("isSplitable", FileSystem.class, Path.class);

  private final InputFormat<K, V> format;

  private WrappedFormat(InputFormat<K, V> format) {
    this.format = format;
  }

  /**
   * @throws IOException if the class named by {@link InputKeys#WRAPPED_FORMAT} is missing or is no
   *     input format of the old API
   */
  static <K, V> WrappedFormat<K, V> of(JobConf job) throws IOException {
    try {
      Class<?> type = job.getClass(InputKeys.WRAPPED_FORMAT, TextInputFormat.class);
      if (!InputFormat.class.isAssignableFrom(type)) {
        throw new IOException(
            "%s=%s does not implement %s; name the format of the old API that parses the records"
                .formatted(InputKeys.WRAPPED_FORMAT, type.getName(), InputFormat.class.getName()));
      }
      @SuppressWarnings("unchecked") // the job declares the types of its records, as it always does
      InputFormat<K, V> format = (InputFormat<K, V>) ReflectionUtils.newInstance(type, job);
      return new WrappedFormat<>(format);
    } catch (RuntimeException e) {
      throw new IOException(
          "%s=%s cannot be instantiated: %s"
              .formatted(
                  InputKeys.WRAPPED_FORMAT, job.get(InputKeys.WRAPPED_FORMAT), e.getMessage()),
          e);
    }
  }

  InputFormat<K, V> format() {
    return format;
  }

  /**
   * @throws IOException if the format does not read files, so that it cannot read a range of one
   */
  FileInputFormat<K, V> fileFormat() throws IOException {
    if (format instanceof FileInputFormat<K, V> fileFormat) {
      return fileFormat;
    }
    throw new IOException("no format of files: " + InputKeys.WRAPPED_FORMAT + "=" + name());
  }

  String name() {
    return format.getClass().getName();
  }

  boolean parsesPlainText() {
    return format.getClass() == TextInputFormat.class;
  }

  /** Whether the format does more than cut each file by size, so that its splits must stay. */
  boolean plansItsOwnSplits() {
    return OwnSplits.arePlannedBy(format.getClass(), FileInputFormat.class);
  }

  /** The input files, expanded and filtered as the format does it. */
  List<FileStatus> listStatus(JobConf job) throws IOException {
    return List.of((FileStatus[]) invoke(LIST_STATUS, job));
  }

  /** Whether a reader of the format can begin anywhere in the file. */
  boolean isSplittable(JobConf job, Path file) throws IOException {
    return (Boolean) invoke(IS_SPLITABLE, file.getFileSystem(job), file);
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
