package io.vdfs.cli.diag;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.cli.diag.Finding.Level;
import io.vdfs.cli.hadoop.HadoopFiles;
import io.vdfs.common.build.BuildVersion;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs diag}: whether Hadoop's side of VDFS is set up well, and the cure where it is not.
 */
@Command(
    name = "diag",
    description = "What is amiss with YARN's overcommit and the clients of a cluster, with cures.")
public final class DiagCommand implements Callable<Integer> {
  private static final Duration PAGE_LIMIT = Duration.ofSeconds(10);

  @Option(
      names = "--hadoop-conf",
      paramLabel = "DIR",
      defaultValue = "${env:HADOOP_CONF_DIR:-/etc/hadoop/conf}",
      description = "Directory with core-site.xml and yarn-site.xml; now ${DEFAULT-VALUE}.")
  private Path hadoopConf;

  @Option(names = "--json", description = "One JSON object instead of lines.")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    HadoopFiles files = HadoopFiles.read(hadoopConf);
    List<Finding> findings =
        new ArrayList<>(
            new YarnDiagnosis(
                    files::get, new WebPages(PAGE_LIMIT), BuildVersion.running().version())
                .findings());
    findings.addAll(
        new ClientDiagnosis(files.clusters(), files.get("fs.defaultFS"), files::open).findings());
    PrintWriter out = spec.commandLine().getOut();
    int code = exitCode(findings);
    if (json) {
      out.println(toJson(findings, code));
    } else {
      findings.forEach(finding -> print(finding, out));
    }
    return code;
  }

  static int exitCode(List<Finding> findings) {
    if (findings.stream().anyMatch(finding -> finding.level() == Level.ERROR)) {
      return ExitCodes.FAILED;
    }
    return findings.stream().anyMatch(finding -> finding.level() == Level.WARNING)
        ? ExitCodes.DEGRADED
        : ExitCodes.SOUND;
  }

  private static void print(Finding finding, PrintWriter out) {
    out.printf(
        "%-8s %s: %s%n",
        finding.level().name().toLowerCase(Locale.ROOT), finding.subject(), finding.text());
    if (!finding.cure().isEmpty()) {
      out.printf("         -> %s%n", finding.cure());
    }
  }

  private static String toJson(List<Finding> findings, int code) {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode all = mapper.createObjectNode().put("exitCode", code);
    ArrayNode list = all.putArray("findings");
    for (Finding finding : findings) {
      list.addObject()
          .put("level", finding.level().name().toLowerCase(Locale.ROOT))
          .put("subject", finding.subject())
          .put("text", finding.text())
          .put("cure", finding.cure());
    }
    return all.toPrettyString();
  }
}
