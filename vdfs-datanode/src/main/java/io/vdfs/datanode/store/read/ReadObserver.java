package io.vdfs.datanode.store.read;

/** Is told what a volume reader does; called from several threads, must not block. */
public interface ReadObserver {
  /** A task joined ({@code +1}) or left ({@code -1}) the queue. */
  void onQueue(int change);

  /** A task found the queue full. */
  void onRefused();

  /**
   * A task is about to be read.
   *
   * @param continues whether it goes on where the last read of the volume ended
   * @param run bytes read in one go so far, with this task
   */
  void onRead(ReadTask task, boolean continues, long run);
}
