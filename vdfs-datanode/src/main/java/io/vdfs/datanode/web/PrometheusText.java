package io.vdfs.datanode.web;

import io.vdfs.common.build.BuildVersion;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.metrics.MetricGroup;
import java.util.List;

/** Writes counters in the text format of Prometheus, version 0.0.4. Stateless. */
final class PrometheusText {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private PrometheusText() {}

  /**
   * @param build shown as labels of a number that is always 1, as is the custom
   */
  static String of(BuildVersion build, List<MetricGroup> groups) {
    StringBuilder text = new StringBuilder();
    text.append("# HELP vdfs_build_info release and commit that run\n")
        .append("# TYPE vdfs_build_info gauge\n")
        .append("vdfs_build_info{version=\"")
        .append(escaped(build.version()))
        .append("\",commit=\"")
        .append(escaped(build.commit()))
        .append("\"} 1\n");
    groups.forEach(group -> group.read().forEach(metric -> append(text, metric)));
    return text.toString();
  }

  private static String escaped(String label) {
    return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  private static void append(StringBuilder text, Metric metric) {
    String name = "vdfs_" + metric.group() + "_" + metric.name() + (metric.level() ? "" : "_total");
    text.append("# HELP ").append(name).append(' ').append(metric.label()).append('\n');
    text.append("# TYPE ").append(name).append(metric.level() ? " gauge\n" : " counter\n");
    text.append(name).append(' ').append(metric.value()).append('\n');
  }
}
