package io.vdfs.it.input;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** The input of one task attempt, record by record. Confined to the test's thread. */
interface TaskInput extends Closeable {
  /**
   * The next record with the name of the file that its mapper would see; empty at the end.
   *
   * @throws IOException if the attempt fails
   */
  Optional<String> next() throws IOException, InterruptedException;
}
