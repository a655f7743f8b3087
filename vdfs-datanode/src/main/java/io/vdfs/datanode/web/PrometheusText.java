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
   * @param groups in which numbers of one name follow one another
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
    String before = "";
    for (MetricGroup group : groups) {
      for (Metric metric : group.read()) {
        String name = name(metric);
        if (!name.equals(before)) {
          describe(text, metric, name);
        }
        text.append(name).append(part(metric)).append(' ').append(metric.value()).append('\n');
        before = name;
      }
    }
    return text.toString();
  }

  private static String escaped(String label) {
    return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  private static String name(Metric metric) {
    return "vdfs_" + metric.group() + "_" + metric.name() + (metric.level() ? "" : "_total");
  }

  private static void describe(StringBuilder text, Metric metric, String name) {
    text.append("# HELP ").append(name).append(' ').append(metric.label()).append('\n');
    text.append("# TYPE ").append(name).append(metric.level() ? " gauge\n" : " counter\n");
  }

  private static String part(Metric metric) {
    return metric
        .part()
        .map(part -> "{" + part.kind() + "=\"" + escaped(part.name()) + "\"}")
        .orElse("");
  }
}
