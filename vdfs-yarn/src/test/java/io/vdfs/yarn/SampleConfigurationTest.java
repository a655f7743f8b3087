package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The files in {@code conf/yarn} are as the plug-in requires. */
class SampleConfigurationTest {
  private static final Path SAMPLES = Path.of("../conf/yarn");

  private static Configuration sample(String yarnSite) {
    Configuration conf = new Configuration(false);
    conf.addResource(new ByteArrayInputStream(yarnSite.getBytes(StandardCharsets.UTF_8)));
    conf.addResource(
        new org.apache.hadoop.fs.Path(
            SAMPLES.resolve("capacity-scheduler.xml").toAbsolutePath().toUri()));
    return conf;
  }

  private static List<String> findings(Configuration conf) {
    Overcommit overcommit = OvercommitListener.overcommit(conf, 65_536);
    assertEquals(Optional.empty(), overcommit.refusal());
    Overcommit.Plan plan = overcommit.plan().orElseThrow();
    List<String> findings = new ArrayList<>(SettingsCheck.schedulerFindings(conf, plan.memory()));
    findings.addAll(SettingsCheck.findings(conf, plan, 65_536));
    return findings;
  }

  @Test
  void shouldBeAcceptedAndLeaveNothingToFind() throws Exception {
    String yarnSite = Files.readString(SAMPLES.resolve("yarn-site.xml"));
    assertEquals(List.of(), findings(sample(yarnSite)));
  }

  @Test
  void shouldBeAcceptedWithThePartsInComments() throws Exception {
    String yarnSite =
        Files.readString(SAMPLES.resolve("yarn-site.xml"))
            .replaceAll("<!--\\s+<property>", "<property>")
            .replaceAll("</property>\\s+-->", "</property>");
    Configuration conf = sample(yarnSite);
    assertTrue(conf.get("yarn.resourcemanager.scheduler.class").endsWith("FairScheduler"));
    assertEquals(List.of(), findings(conf));
    assertEquals(OvercommitMode.ADAPTIVE, OvercommitSettings.of(conf).mode());
  }
}
