package io.vdfs.datanode.planted;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.vdfs.datanode.planted.PlantedBug.Planted;
import java.util.List;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.spi.LoggerRepository;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Tests that guard bytes are run on a spoiled product, and have to fail. */
class PlantedBugsTest {
  private static final LoggerRepository LOGS = LogManager.getLoggerRepository();
  private static final Level THRESHOLD = LOGS.getThreshold();

  @BeforeAll
  static void installAgent() {
    ByteBuddyAgent.install();
  }

  /** Discards the output of a spoiled product, of which there is much and which is of no use. */
  @BeforeAll
  static void silenceLogs() {
    LOGS.setThreshold(Level.OFF);
  }

  @AfterAll
  static void restoreLogs() {
    LOGS.setThreshold(THRESHOLD);
  }

  @ParameterizedTest
  @EnumSource
  void shouldBeCaught(PlantedBug bug) throws Exception {
    TestExecutionSummary summary;
    Planted planted = bug.plant();
    try {
      summary = run(bug.caughtBy());
    } finally {
      planted.close();
    }
    assertTrue(summary.getTestsStartedCount() > 0, bug.caughtBy());
    List<Throwable> failures =
        summary.getFailures().stream().map(TestExecutionSummary.Failure::getException).toList();
    assertEquals(
        Verdict.CAUGHT, Verdict.of(failures), () -> bug + ", " + bug.caughtBy() + ": " + failures);
  }

  private static TestExecutionSummary run(String test) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(test.contains("#") ? selectMethod(test) : selectClass(test))
            .configurationParameter("junit.jupiter.execution.timeout.default", "15 s")
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    return listener.getSummary();
  }
}
