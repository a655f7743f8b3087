package io.vdfs.mapreduce.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;

class RunningMapsTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void shouldLetAsManyMapsRunAsThereAreCores() {
    RunningMaps.limit(conf, 12, 40, 0);
    assertEquals("12", conf.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT));
  }

  @Test
  void shouldSetNoLimitThatAllMapsTogetherDoNotExceed() {
    RunningMaps.limit(conf, 12, 2, 0);
    assertNull(conf.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT));
    RunningMaps.limit(conf, 12, 12, 0);
    assertNull(conf.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT));
    RunningMaps.limit(conf, 12, 13, 0);
    assertEquals("12", conf.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT));
  }

  @Test
  void shouldKeepSurplusMapsWaiting() {
    RunningMaps.limit(conf, 12, 9, 3);
    assertEquals("6", conf.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT));
  }

  @Test
  void shouldLeaveTheJobsOwnLimit() {
    conf.setInt(MRJobConfig.JOB_RUNNING_MAP_LIMIT, 3);
    RunningMaps.limit(conf, 12, 40, 0);
    RunningMaps.forget(conf);
    assertEquals("3", conf.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT));
  }

  @Test
  void shouldForgetTheLimitOfAnEarlierJobWithTheseSettings() {
    RunningMaps.limit(conf, 12, 40, 0);
    RunningMaps.forget(conf);
    assertNull(conf.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT));
    RunningMaps.limit(conf, 24, 40, 0);
    assertEquals("24", conf.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT));
  }
}
