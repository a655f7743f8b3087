package io.vdfs.datanode.planted;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.vdfs.datanode.planted.PlantedBug.Planted;
import net.bytebuddy.agent.ByteBuddyAgent;
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
  @BeforeAll
  static void installAgent() {
    ByteBuddyAgent.install();
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
    assertTrue(summary.getTestsFailedCount() > 0, () -> bug + " is not seen by " + bug.caughtBy());
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
