package io.vdfs.datanode.ledger.query;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ListStreamsQuery;
import io.vdfs.common.wire.proto.ListStreamsResult;
import io.vdfs.common.wire.proto.ListedStream;
import io.vdfs.datanode.ledger.state.Caller;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.StreamTable;
import io.vdfs.datanode.ledger.state.TaskList;
import java.util.Collection;

/** The streams that a caller may see, page by page, without a walk through their lists. Pure. */
public final class StreamListing {
  private static final int MOST_STREAMS = 100;

  /** Most nodes and tasks of the streams of a page, unless its only stream has more by itself. */
  private static final long MOST_PARTS = 20_000;

  private StreamListing() {}

  /**
   * One page, in the order of ids.
   *
   * @throws VdfsException INVALID_ARGUMENT if the id that the page is to begin behind is none
   */
  public static ListStreamsResult page(StreamTable table, ListStreamsQuery query, Caller caller)
      throws VdfsException {
    Collection<StreamState> candidates =
        query.getAfter().isEmpty() ? table.all() : table.behind(StreamTable.id(query.getAfter()));
    int asked = query.getMost();
    int most = asked > 0 && asked < MOST_STREAMS ? asked : MOST_STREAMS;
    ListStreamsResult.Builder page = ListStreamsResult.newBuilder();
    long parts = 0;
    for (StreamState stream : candidates) {
      boolean over = stream.endedTasks() == stream.taskCount();
      if (!StreamTable.mayUse(stream, caller) || (over && !query.getEnded())) {
        continue;
      }
      parts += (long) stream.nodes() + stream.lists().size();
      boolean full = page.getStreamsCount() == most;
      if (full || (parts > MOST_PARTS && page.getStreamsCount() > 0)) {
        return page.setMore(true).build();
      }
      page.addStreams(listed(stream));
    }
    return page.build();
  }

  private static ListedStream.Builder listed(StreamState stream) {
    ListedStream.Builder listed =
        ListedStream.newBuilder()
            .setStreamId(ByteString.copyFrom(stream.id().toBytes()))
            .setStatus(StreamStatusReport.nodes(stream))
            .setTasks(stream.taskCount())
            .setEndedTasks(stream.endedTasks());
    for (TaskList list : stream.lists().values()) {
      listed.setDrawingTasks(listed.getDrawingTasks() + (list.draws() ? 1 : 0));
    }
    return stream.files().size() == 0 ? listed : listed.setFirstPath(stream.files().file(0).path());
  }
}
