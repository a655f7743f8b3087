package io.vdfs.it.workload;

/** A disturbance of a cluster while workers use it. */
@FunctionalInterface
public interface Disturbance {
  /** Returns when the cluster is undisturbed again, at the end of the workload. */
  void disturb(OutageLog outages) throws Exception;
}
