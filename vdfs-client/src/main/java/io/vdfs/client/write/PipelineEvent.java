package io.vdfs.client.write;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.util.Optional;

/** What the network tells the owner of a {@link WritePipeline}. */
sealed interface PipelineEvent {
  WritePipeline pipeline();

  /** Every node is ready for packets. */
  record Ready(WritePipeline pipeline) implements PipelineEvent {}

  /** Every node has everything up to {@code sequence}. */
  record Acknowledged(WritePipeline pipeline, long sequence) implements PipelineEvent {}

  /**
   * The pipeline is broken.
   *
   * @param culprit the failed node, if a node behind the first one was named
   */
  record Failed(WritePipeline pipeline, VdfsException error, Optional<NodeId> culprit)
      implements PipelineEvent {}

  /** Another thread gives the writer up. */
  record Aborted() implements PipelineEvent {
    @Override
    public WritePipeline pipeline() {
      return null;
    }
  }
}
