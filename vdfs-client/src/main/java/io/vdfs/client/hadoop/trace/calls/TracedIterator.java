package io.vdfs.client.hadoop.trace.calls;

import io.vdfs.client.trace.TraceOp;
import java.io.Closeable;
import java.io.IOException;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.IOStatisticsSupport;

/**
 * An iterator around another one. Makes one record, once it comes to its end or fails: when it was
 * first asked, how long it took in all, and how many entries it gave. Confined to one thread.
 */
public final class TracedIterator<S, T>
    implements RemoteIterator<T>, Closeable, IOStatisticsSource {
  private final RemoteIterator<S> entries;
  private final Function<S, T> translation;
  private final CallTracer tracer;
  private final Path path;
  private long first;
  private long spent;
  private long count;
  private boolean started;
  private boolean over;

  public TracedIterator(
      RemoteIterator<S> entries, Function<S, T> translation, CallTracer tracer, Path path) {
    this.entries = entries;
    this.translation = translation;
    this.tracer = tracer;
    this.path = path;
  }

  @Override
  public boolean hasNext() throws IOException {
    boolean more = timed(entries::hasNext);
    if (!more) {
      end(null);
    }
    return more;
  }

  @Override
  public T next() throws IOException {
    S entry = timed(entries::next);
    count++;
    return translation.apply(entry);
  }

  private <R> R timed(CallTracer.Call<R> step) throws IOException {
    long start = System.nanoTime();
    if (!started) {
      started = true;
      first = start;
    }
    try {
      R result = step.run();
      spent += System.nanoTime() - start;
      return result;
    } catch (NoSuchElementException e) {
      throw e; // a caller that asks for what is not there has come to the end
    } catch (IOException | RuntimeException | Error e) {
      spent += System.nanoTime() - start;
      end(e);
      throw e;
    }
  }

  private void end(Throwable failure) {
    if (!over) {
      over = true;
      tracer
          .recorder()
          .claim(TraceOp.LIST_NEXT, first, first + spent)
          .path(tracer.name(path))
          .result(count)
          .failure(failure)
          .publish();
    }
  }

  @Override
  public void close() throws IOException {
    if (entries instanceof Closeable closeable) {
      closeable.close();
    }
  }

  @Override
  public IOStatistics getIOStatistics() {
    return IOStatisticsSupport.retrieveIOStatistics(entries);
  }
}
