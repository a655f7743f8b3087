package io.vdfs.common.net;

import io.vdfs.common.metrics.CounterName;

/** Events on data connections, counted from the start of the process. */
public enum NetCounter implements CounterName {
  CONNECTIONS_OPENED("connections opened"),
  CONNECTS_FAILED("connections that could not be made"),
  CLOSED_MALFORMED("connections closed for bytes that are no frame"),
  CLOSED_PROTOCOL("connections closed for a frame that has no place there"),
  CLOSED_IO_ERROR("connections closed by an I/O error"),
  CLOSED_SILENT("connections closed because nothing came by them any more"),
  LATE_FRAMES("frames dropped because their stream had ended");

  private final String label;

  NetCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }
}
