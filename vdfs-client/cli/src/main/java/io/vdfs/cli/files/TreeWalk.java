package io.vdfs.cli.files;

import io.vdfs.client.names.FileInfo;
import io.vdfs.client.names.ListPage;
import io.vdfs.client.names.Names;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Goes through a tree, one directory after the other, a page at a time. What comes or goes
 * meanwhile is seen or not. Confined to one thread.
 */
public final class TreeWalk {
  /** What a path has to look like. */
  public static final String NORMAL =
      "PATH begins with a slash and has no empty, '.' or '..' component";

  private static final int PAGE = 1000;
  private static final Pattern SLASH = Pattern.compile("/");

  private final Names names;
  private final Visitor visitor;
  private final Deque<String> directories = new ArrayDeque<>();

  /** Receives what the walk finds. */
  public interface Visitor {
    void onDirectory(String path);

    void onFile(String path, FileInfo file) throws IOException;

    /** Of a directory that the caller may not list: nothing below it is shown. */
    void onRefused(String directory, String why);
  }

  public TreeWalk(Names names, Visitor visitor) {
    this.names = names;
    this.visitor = visitor;
  }

  public static boolean isNormal(String path) {
    if (path.equals("/")) {
      return true;
    }
    return path.startsWith("/")
        && Stream.of(SLASH.split(path.substring(1), -1))
            .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
  }

  /** Files and directories of a tree, 0 where that can't be told; for the bar alone. */
  public static long inodes(Names names, String path) throws IOException {
    try {
      return names.quotaUsage(path).inodes();
    } catch (VdfsException e) {
      return 0; // the walk reports what is wrong
    }
  }

  /**
   * @param path a file or a directory
   * @throws VdfsException NOT_FOUND if nothing is there
   */
  public void walk(String path) throws IOException {
    FileInfo top = names.status(path);
    if (!top.isDirectory()) {
      visitor.onFile(path, top);
      return;
    }
    directories.push(path);
    while (!directories.isEmpty()) {
      String directory = directories.pop();
      try {
        list(directory);
      } catch (VdfsException e) {
        if (e.code() == ErrorCode.PERMISSION_DENIED) {
          visitor.onRefused(directory, e.getMessage());
        } else if (e.code() != ErrorCode.NOT_FOUND && e.code() != ErrorCode.NOT_A_DIRECTORY) {
          throw e;
        }
      }
    }
  }

  private void list(String directory) throws IOException {
    List<String> below = new ArrayList<>();
    String last = "";
    boolean more = true;
    while (more) {
      ListPage page = names.list(directory, last, PAGE);
      if (last.isEmpty()) {
        visitor.onDirectory(directory);
      }
      for (FileInfo entry : page.entries()) {
        last = entry.name();
        if (entry.isDirectory()) {
          below.add(child(directory, last));
        } else {
          visitor.onFile(child(directory, last), entry);
        }
      }
      more = page.more() && !page.entries().isEmpty();
    }
    Collections.reverse(below);
    below.forEach(directories::push);
  }

  private static String child(String directory, String name) {
    return directory.endsWith("/") ? directory + name : directory + "/" + name;
  }
}
