package io.vdfs.datanode.transfer.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.ScheduledFuture;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.FrameDecoder;
import io.vdfs.common.net.FrameGate;
import io.vdfs.common.wire.FrameType;
import io.vdfs.datanode.transfer.Outlet;
import io.vdfs.datanode.transfer.PeerDelivery;
import io.vdfs.datanode.transfer.ServerStream;
import io.vdfs.datanode.transfer.TransferContext;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.replica.ReplicaQuestion;
import io.vdfs.datanode.transfer.write.WriteStage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Hands the frames of one connection to its streams. A peer that sends what no sound peer would is
 * cut off, with the reason counted. Confined to the event loop.
 */
final class ServerConnection extends SimpleChannelInboundHandler<Frame>
    implements FrameGate, ConnectionOutlet.Owner {
  /**
   * Most bytes of answers held in memory for one peer, however many it asks for: some more than the
   * socket takes up before it is unwritable.
   */
  private static final long OWN_BUDGET = 8 << 20;

  private final TransferContext context;
  private final List<PeerDelivery> deliveries;
  private final ReadBudget budget;
  private final PeerHost host;
  private final ReadBudget ownBudget = ReadBudget.unshared(OWN_BUDGET);
  private final Map<Integer, ServerStream> streams = new HashMap<>();
  private ChannelHandlerContext channelContext;
  private int pausedBy;
  private long sent;
  private long taken;

  /** Frames that were sent when the current wait for them to be taken up began. */
  private long sentAtMark;

  /** Number of looks since then. */
  private int looks;

  /** Set while frames wait to be taken up; null at the latest one look after that. */
  private ScheduledFuture<?> stallWatch;

  private PeerWatch watch;
  private boolean refusedPayload;
  private boolean closing;

  /**
   * @param budget of all connections
   */
  ServerConnection(
      TransferContext context, Deliveries deliveries, ReadBudget budget, PeerHost host) {
    this.context = context;
    this.deliveries =
        deliveries.begin(context, () -> PeerPlace.isHere(channelContext.channel().remoteAddress()));
    this.budget = budget;
    this.host = host;
  }

  /** Begins to watch for a silent peer; to be called with the handlers added, on the event loop. */
  void watch(FrameDecoder decoder) {
    watch =
        new PeerWatch(
            channelContext.executor(),
            context.settings().peers(),
            decoder,
            () -> !streams.isEmpty() || deliveries.stream().anyMatch(PeerDelivery::isUsed),
            this::close);
    watch.start();
  }

  /** Only packets have payloads, and only pipelines take packets. */
  @Override
  public void accept(FrameType type, int streamId, int payload) throws VdfsException {
    if (payload > 0 && !(streams.get(streamId) instanceof WriteStage)) {
      refusedPayload = true;
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "payload for no pipeline: type=" + type + ", stream=" + streamId + ", bytes=" + payload);
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    channelContext = added;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    context.counters().increment(TransferCounter.CONNECTIONS_ACCEPTED);
    active.fireChannelActive();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ignored, Frame frame) {
    if (closing) {
      return;
    }
    try {
      dispatch(frame);
    } catch (VdfsException e) {
      close(TransferCounter.CLOSED_PROTOCOL);
    }
  }

  private void dispatch(Frame frame) throws VdfsException {
    switch (frame.type()) {
      case WRITE_OPEN -> begin(frame, outlet -> new WriteStage(context, outlet));
      case REPLICA_REQUEST -> ask(frame);
      case WRITE_PACKET -> existing(frame).onFrame(frame);
      case CANCEL -> cancel(frame);
      default -> deliver(frame);
    }
  }

  /** Goes on with the question where the peer was asked for a proof, else begins a new one. */
  private void ask(Frame frame) throws VdfsException {
    if (streams.get(frame.streamId()) instanceof ReplicaQuestion challenged) {
      challenged.onFrame(frame);
    } else {
      begin(frame, outlet -> new ReplicaQuestion(context, outlet));
    }
  }

  private void deliver(Frame frame) throws VdfsException {
    for (PeerDelivery delivery : deliveries) {
      if (delivery.answers(frame.type())) {
        begin(frame, outlet -> delivery.begin(frame.type(), outlet));
        return;
      }
    }
    throw new VdfsException(ErrorCode.INVALID_ARGUMENT, "answers go the other way: frame=" + frame);
  }

  private void begin(Frame frame, Function<Outlet, ServerStream> maker) throws VdfsException {
    if (streams.containsKey(frame.streamId())
        || streams.size() >= context.settings().maxStreams()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "stream is in use or one too many: frame=" + frame + ", open=" + streams.size());
    }
    ServerStream stream =
        maker.apply(new ConnectionOutlet(this, channelContext.channel(), frame.streamId()));
    streams.put(frame.streamId(), stream);
    stream.open(frame);
  }

  private ServerStream existing(Frame frame) throws VdfsException {
    ServerStream stream = streams.get(frame.streamId());
    if (stream == null) {
      throw new VdfsException(ErrorCode.INVALID_ARGUMENT, "no such stream: frame=" + frame);
    }
    return stream;
  }

  /**
   * A stream may have ended while its cancellation was on the way. One that still owes an answer,
   * or whose request still waits in a line, keeps its id until then, so that the limit of streams
   * bounds these too.
   */
  private void cancel(Frame frame) {
    ServerStream stream = streams.get(frame.streamId());
    if (stream != null) {
      stream.onGone();
    }
  }

  @Override
  public PeerHost host() {
    return host;
  }

  /** A request that waits for the shared budget takes up only this peer's own. */
  @Override
  public void acquire(int bytes, Runnable granted) {
    Channel channel = channelContext.channel();
    ownBudget.acquire(
        host, bytes, () -> budget.acquire(host, bytes, () -> channel.eventLoop().execute(granted)));
  }

  @Override
  public void release(int bytes) {
    budget.release(host, bytes);
    ownBudget.release(host, bytes);
  }

  @Override
  public void onEnded(int streamId) {
    streams.remove(streamId);
  }

  @Override
  public void onPaused(boolean pause) {
    pausedBy += pause ? 1 : -1;
    updateReading();
  }

  /**
   * Reading goes on only while no stream wants it paused and the peer takes answers up: a stream
   * that was answered counts no more, though its answer may wait here.
   */
  private void updateReading() {
    Channel channel = channelContext.channel();
    channel.config().setAutoRead(isRead());
    watch.onReading(isRead());
  }

  private boolean isRead() {
    return pausedBy == 0 && channelContext.channel().isWritable();
  }

  @Override
  public void onSent() {
    sent++;
    if (stallWatch == null && !closing) {
      watchForStall();
    }
  }

  @Override
  public void onTaken() {
    taken++;
  }

  /**
   * Frames that a peer does not take up stay in memory, and with them a share of the readers'
   * budget.
   */
  private void watchForStall() {
    sentAtMark = sent;
    looks = 0;
    scheduleLook();
  }

  private void scheduleLook() {
    stallWatch =
        channelContext
            .executor()
            .schedule(this::lookForStall, stallPeriod().toNanos(), TimeUnit.NANOSECONDS);
  }

  /** How long a peer may take for what was sent, while others wait for its memory. */
  private Duration stallPeriod() {
    Duration usual = context.settings().readStall();
    Duration crowded = context.settings().peers().crowdedStall();
    return usual.compareTo(crowded) < 0 ? usual : crowded;
  }

  /** Frames sent before the mark must be taken up in time, and sooner where it helps others. */
  private void lookForStall() {
    stallWatch = null;
    looks++;
    if (taken >= sentAtMark) {
      if (taken < sent) {
        watchForStall();
      }
    } else if (budget.isCrowdedBy(host)
        || stallPeriod().multipliedBy(looks).compareTo(context.settings().readStall()) >= 0) {
      close(TransferCounter.CLOSED_STALLED);
    } else {
      scheduleLook();
    }
  }

  void close(TransferCounter reason) {
    if (!closing) {
      closing = true;
      context.counters().increment(reason);
      channelContext.close().addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ignored) {
    updateReading();
    new ArrayList<>(streams.values()).forEach(ServerStream::onWritabilityChanged);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ignored) {
    closing = true;
    if (stallWatch != null) {
      stallWatch.cancel(false);
    }
    watch.end();
    List<ServerStream> orphans = new ArrayList<>(streams.values());
    streams.clear();
    orphans.forEach(ServerStream::onGone);
    deliveries.forEach(PeerDelivery::end);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ignored, Throwable cause) {
    if (refusedPayload) {
      close(TransferCounter.CLOSED_PROTOCOL);
    } else {
      close(
          cause instanceof DecoderException
              ? TransferCounter.CLOSED_MALFORMED
              : TransferCounter.CLOSED_IO_ERROR);
    }
  }
}
