package io.vdfs.datanode.rpc.request;

import io.vdfs.common.metrics.CounterName;

/** The counters of a node for each metadata operation. */
public enum RequestCounter implements CounterName {
  REQUESTS("requests answered"),
  MICROS("microseconds until they were answered"),
  SLOW("requests that took over 100 milliseconds"),
  REFUSED("requests refused for good"),
  REDIRECTED("requests that another node has to answer"),
  UNAVAILABLE("requests without an outcome");

  private final String label;

  RequestCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }
}
