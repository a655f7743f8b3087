package io.vdfs.it.workload;

import io.vdfs.it.cluster.Await;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;

/**
 * Performs random operations on the files of one directory, which no other thread touches, and
 * compares all that it sees with what it did. After a failed operation it finds out which of the
 * allowed outcomes came true, and goes on from there. Confined to its thread.
 */
final class Worker implements Runnable {
  private static final int MOST_FILES = 24;
  private static final int MOST_OPEN = 3;
  private static final int LARGEST_WRITE = 400_000;
  private static final int LARGEST_FILE = 6 << 20;
  private static final Duration SETTLE_LIMIT = Duration.ofMinutes(3);

  /** For a file that may lack what the metadata know to have been acknowledged. */
  private static final Duration LACKING_LIMIT = Duration.ofSeconds(30);

  private static final AtomicLong PIECES = new AtomicLong();

  /** An operation on one file. */
  private interface Body {
    void run() throws IOException;
  }

  private final FileSystem fileSystem;
  private final String directory;
  private final Random random;
  private final OperationLog log;
  private final OutageLog outages;
  private final AtomicBoolean stop;
  private final Map<String, FileContent> closed = new TreeMap<>();
  private final List<OpenFile> open = new ArrayList<>();
  private int names;

  Worker(
      FileSystem fileSystem,
      String directory,
      long seed,
      OperationLog log,
      OutageLog outages,
      AtomicBoolean stop) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.random = new Random(seed);
    this.log = log;
    this.outages = outages;
    this.stop = stop;
  }

  /** The files that exist once {@link #run} has returned. */
  Map<String, FileContent> files() {
    return closed;
  }

  @Override
  public void run() {
    try {
      perform("mkdirs", directory, () -> fileSystem.mkdirs(new Path(directory)), () -> {});
      while (!stop.get()) {
        step();
      }
      while (!open.isEmpty()) {
        close(open.get(0));
      }
    } catch (Exception e) {
      log.violation("worker of " + directory + " ended: " + e);
    }
  }

  private void step() throws Exception {
    int choice = random.nextInt(100);
    if (choice < 14) {
      create();
    } else if (choice < 40) {
      onOpen(this::write);
    } else if (choice < 48) {
      onOpen(this::close);
    } else if (choice < 56) {
      onClosed(this::append);
    } else if (choice < 60) {
      onClosed(this::truncate);
    } else if (choice < 66) {
      onClosed(this::rename);
    } else if (choice < 72) {
      onClosed(this::delete);
    } else if (choice < 86) {
      onClosed(this::read);
    } else if (choice < 92) {
      onOpen(this::readOpen);
    } else if (choice < 97) {
      onClosed(this::status);
    } else {
      list();
    }
  }

  private interface OpenAction {
    void on(OpenFile file) throws Exception;
  }

  private interface ClosedAction {
    void on(String path, FileContent content) throws Exception;
  }

  private void onOpen(OpenAction action) throws Exception {
    if (!open.isEmpty()) {
      action.on(open.get(random.nextInt(open.size())));
    }
  }

  private void onClosed(ClosedAction action) throws Exception {
    if (!closed.isEmpty()) {
      String path = anyOf(closed.keySet());
      action.on(path, closed.get(path));
    }
  }

  private String anyOf(Set<String> paths) {
    return List.copyOf(paths).get(random.nextInt(paths.size()));
  }

  private String newName() {
    return directory + "/f" + names++;
  }

  private void create() throws Exception {
    if (open.size() == MOST_OPEN) {
      close(open.get(0));
    }
    boolean overwrite =
        !closed.isEmpty() && (closed.size() >= MOST_FILES || random.nextInt(4) == 0);
    String path = overwrite ? anyOf(closed.keySet()) : newName();
    Optional<FileContent> before = Optional.ofNullable(closed.get(path));
    perform(
        overwrite ? "overwrite" : "create",
        path,
        () -> {
          OpenFile file =
              new OpenFile(path, fileSystem.create(new Path(path), true), FileContent.EMPTY);
          closed.remove(path);
          open.add(file);
        },
        () -> settle(path, List.of(before, Optional.of(FileContent.EMPTY))));
  }

  private void write(OpenFile file) throws Exception {
    if (file.content().length() > LARGEST_FILE) {
      close(file);
      return;
    }
    int length = 1 + random.nextInt(random.nextInt(3) == 0 ? LARGEST_WRITE : 5_000);
    FileContent all = file.content().with(PIECES.incrementAndGet(), length);
    byte[] bytes = all.bytes(file.content().length(), all.length());
    perform(
        file,
        "write",
        () -> {
          file.wrote(all);
          file.out().write(bytes);
        },
        () -> settleWriter(file));
    if (open.contains(file)) {
      flush(file);
    }
  }

  private void flush(OpenFile file) throws Exception {
    int choice = random.nextInt(6);
    long begun = System.nanoTime();
    if (choice == 0) {
      perform(
          file,
          "hflush",
          () -> {
            file.out().hflush();
            file.onFlushed(begun);
          },
          () -> settleWriter(file));
    } else if (choice == 1) {
      perform(
          file,
          "hsync",
          () -> {
            file.out().hsync();
            file.onSynced(begun);
          },
          () -> settleWriter(file));
    }
  }

  private void close(OpenFile file) throws Exception {
    perform(
        file,
        "close",
        () -> {
          file.out().close();
          open.remove(file);
          closed.put(file.path(), file.content());
        },
        () -> settleWriter(file));
  }

  private void append(String path, FileContent content) throws Exception {
    if (open.size() == MOST_OPEN) {
      return;
    }
    perform(
        "append",
        path,
        () -> {
          OpenFile file = new OpenFile(path, fileSystem.append(new Path(path)), content);
          closed.remove(path);
          open.add(file);
        },
        () -> settle(path, List.of(Optional.of(content))));
  }

  private void truncate(String path, FileContent content) throws Exception {
    if (content.length() == 0) {
      return;
    }
    FileContent shorter = content.prefix(random.nextInt(Math.toIntExact(content.length())));
    perform(
        "truncate",
        path,
        () -> {
          if (!fileSystem.truncate(new Path(path), shorter.length())) {
            throw new IOException("truncate is not done when it returns");
          }
          closed.put(path, shorter);
        },
        () -> settle(path, List.of(Optional.of(content), Optional.of(shorter))));
  }

  private void rename(String path, FileContent content) throws Exception {
    String target = newName();
    perform(
        "rename",
        path,
        () -> {
          if (!fileSystem.rename(new Path(path), new Path(target))) {
            throw new IOException("not renamed: target=" + target);
          }
          closed.remove(path);
          closed.put(target, content);
        },
        () -> settleRename(path, target, content));
  }

  private void delete(String path, FileContent content) throws Exception {
    if (closed.size() < MOST_FILES / 2) {
      return;
    }
    perform(
        "delete",
        path,
        () -> {
          if (!fileSystem.delete(new Path(path), false)) {
            throw new IOException("not deleted, as if it had not been there");
          }
          closed.remove(path);
        },
        () -> settle(path, List.of(Optional.of(content), Optional.empty())));
  }

  private void read(String path, FileContent content) throws Exception {
    perform(
        "read",
        path,
        () -> {
          try (FSDataInputStream in = fileSystem.open(new Path(path))) {
            if (content.length() > 0 && random.nextBoolean()) {
              readRange(path, in, content);
            } else {
              check(path, content, in.readAllBytes());
            }
          }
        },
        () -> {});
  }

  private void readRange(String path, FSDataInputStream in, FileContent content)
      throws IOException {
    int from = random.nextInt(Math.toIntExact(content.length()));
    int to = from + random.nextInt(Math.toIntExact(content.length()) - from + 1);
    byte[] found = new byte[to - from];
    in.readFully(from, found);
    if (!Arrays.equals(found, content.bytes(from, to))) {
      log.violation("wrong bytes: path=" + path + ", from=" + from + ", to=" + to);
    }
  }

  private void check(String path, FileContent content, byte[] found) {
    if (!Arrays.equals(found, content.bytes())) {
      log.violation(
          "not what was written: path="
              + path
              + ", length="
              + found.length
              + ", expected="
              + content.length()
              + ", differs from="
              + Arrays.mismatch(found, content.bytes()));
    }
  }

  /** Checks that another reader sees all that was flushed, and nothing that was not written. */
  private void readOpen(OpenFile file) throws Exception {
    perform(
        file,
        "read open",
        () -> {
          try (FSDataInputStream in = fileSystem.open(new Path(file.path()))) {
            byte[] found = in.readAllBytes();
            if (found.length < file.flushed(outages) || !isPrefix(found, file.content())) {
              log.violation(
                  "not what was flushed: path="
                      + file.path()
                      + ", length="
                      + found.length
                      + ", flushed="
                      + file.flushed(outages)
                      + ", written="
                      + file.content().length());
            }
          }
        },
        () -> {});
  }

  private static boolean isPrefix(byte[] found, FileContent content) {
    return found.length <= content.length() && Arrays.equals(found, content.bytes(0, found.length));
  }

  private void status(String path, FileContent content) throws Exception {
    perform(
        "status",
        path,
        () -> {
          long length = fileSystem.getFileStatus(new Path(path)).getLen();
          if (length != content.length()) {
            log.violation(
                "wrong length: path=" + path + ", " + length + " not " + content.length());
          }
        },
        () -> {});
  }

  private void list() throws Exception {
    perform(
        "list",
        directory,
        () -> {
          Set<String> found = new TreeSet<>();
          for (FileStatus status : fileSystem.listStatus(new Path(directory))) {
            found.add(status.getPath().toUri().getPath());
          }
          Set<String> expected = new TreeSet<>(closed.keySet());
          open.forEach(file -> expected.add(file.path()));
          if (!found.equals(expected)) {
            log.violation("other names: found=" + found + ", expected=" + expected);
          }
        },
        () -> {});
  }

  /** What to do after a failure. */
  private interface Settlement {
    void run() throws Exception;
  }

  /** On an open file, whose writer may fail once all nodes have lost their power. */
  private void perform(OpenFile file, String kind, Body body, Settlement afterFailure)
      throws Exception {
    perform(kind, file.path(), body, afterFailure, () -> file.wasCut(outages));
  }

  private void perform(String kind, String path, Body body, Settlement afterFailure)
      throws Exception {
    perform(kind, path, body, afterFailure, () -> false);
  }

  private void perform(
      String kind, String path, Body body, Settlement afterFailure, BooleanSupplier excused)
      throws Exception {
    long from = System.nanoTime();
    Optional<String> error = Optional.empty();
    try {
      body.run();
    } catch (IOException e) {
      error = Optional.of(e.toString());
    }
    if (error.isEmpty() || !excused.getAsBoolean()) {
      log.add(new OperationLog.Entry(kind, path, from, System.nanoTime(), error));
    }
    if (error.isPresent()) {
      afterFailure.run();
    }
  }

  /** Waits until the file is closed or gone, which must be one of these outcomes. */
  private void settle(String path, List<Optional<FileContent>> outcomes) throws Exception {
    Optional<byte[]> found = Await.value("outcome of " + path, SETTLE_LIMIT, () -> look(path));
    Optional<Optional<FileContent>> outcome =
        outcomes.stream()
            .filter(
                candidate ->
                    candidate.isPresent() == found.isPresent()
                        && candidate.map(c -> Arrays.equals(c.bytes(), found.get())).orElse(true))
            .findFirst();
    closed.remove(path);
    if (outcome.isEmpty()) {
      log.violation(
          "neither outcome of a failed operation: path="
              + path
              + ", length="
              + found.map(bytes -> bytes.length)
              + ", outcomes="
              + outcomes);
      fileSystem.delete(new Path(path), false);
    } else {
      outcome.get().ifPresent(content -> closed.put(path, content));
    }
  }

  /**
   * Checks after a writer failed: what it had flushed is there, and nothing that it had not
   * written.
   */
  private void settleWriter(OpenFile file) throws Exception {
    open.remove(file);
    closeFailed(file);
    String path = file.path();
    Duration limit = file.mayLack(outages) ? LACKING_LIMIT : SETTLE_LIMIT;
    Optional<byte[]> found;
    try {
      found = Await.value("end of " + path, limit, () -> look(path));
    } catch (IllegalStateException e) {
      if (!file.mayLack(outages)) {
        throw e;
      }
      log.giveUp(path);
      fileSystem.delete(new Path(path), false);
      return;
    }
    byte[] bytes = found.orElse(new byte[0]);
    if (found.isEmpty()
        || bytes.length < file.flushed(outages)
        || !isPrefix(bytes, file.content())) {
      log.violation(
          "a failed writer's file is not what was flushed: path="
              + path
              + ", length="
              + found.map(all -> all.length)
              + ", flushed="
              + file.flushed(outages)
              + ", written="
              + file.content().length());
      fileSystem.delete(new Path(path), false);
    } else {
      closed.put(path, file.content().prefix(bytes.length));
    }
  }

  private static void closeFailed(OpenFile file) {
    try {
      file.out().close();
    } catch (IOException e) {
      // says again that writing failed
    }
  }

  private void settleRename(String path, String target, FileContent content) throws Exception {
    boolean moved =
        Await.value(
            "outcome of rename " + path,
            SETTLE_LIMIT,
            () -> {
              try {
                return Optional.of(fileSystem.exists(new Path(target)));
              } catch (IOException e) {
                return Optional.empty();
              }
            });
    closed.remove(path);
    settle(moved ? target : path, List.of(Optional.of(content)));
  }

  /** The file's bytes once it is closed; an inner empty one if there is no such file. */
  private Optional<Optional<byte[]>> look(String path) {
    Path file = new Path(path);
    try {
      if (!((LeaseRecoverable) fileSystem).recoverLease(file)) {
        return Optional.empty();
      }
      try (FSDataInputStream in = fileSystem.open(file)) {
        return Optional.of(Optional.of(in.readAllBytes()));
      }
    } catch (FileNotFoundException e) {
      return Optional.of(Optional.empty());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
