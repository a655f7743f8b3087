package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.util.NodeManagerHardwareUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OvercommitListenerTest {
  @Test
  void shouldMultiplyVcores() {
    Configuration conf = conf("2.5");
    OvercommitListener.overcommit(conf);
    assertEquals(10, NodeManagerHardwareUtils.getVCores(conf));
  }

  @Test
  void shouldLeaveVcoresAloneWithoutFactor() {
    Configuration conf = conf(null);
    OvercommitListener.overcommit(conf);
    assertEquals(4, NodeManagerHardwareUtils.getVCores(conf));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0.5", "-1", "65", "NaN", "many"})
  void shouldLeaveVcoresAloneWhenFactorIsWrong(String factor) {
    Configuration conf = conf(factor);
    OvercommitListener.overcommit(conf);
    assertEquals(4, NodeManagerHardwareUtils.getVCores(conf));
  }

  private static Configuration conf(String factor) {
    Configuration conf = new Configuration(false);
    conf.setInt(YarnConfiguration.NM_VCORES, 4);
    if (factor != null) {
      conf.set(OvercommitListener.FACTOR, factor);
    }
    return conf;
  }
}
