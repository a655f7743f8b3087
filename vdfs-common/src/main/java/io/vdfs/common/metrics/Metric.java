package io.vdfs.common.metrics;

/**
 * A number at a moment. Immutable.
 *
 * @param group which part of the process counts it
 * @param level whether it goes up and down rather than only up
 */
public record Metric(String group, String name, String label, boolean level, long value) {}
