package io.vdfs.mapreduce.plan;

import io.vdfs.mapreduce.settings.InputKeys;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many maps of a job its ApplicationMaster runs at once, if the job itself sets no limit.
 * Written at submission into the job's settings, from which MapReduce makes the file that the
 * ApplicationMaster reads afterwards. Stateless.
 */
final class RunningMaps {
  private static final Logger LOG = LoggerFactory.getLogger(RunningMaps.class);

  private RunningMaps() {}

  /**
   * Sets the limit, unless no more maps could run anyway.
   *
   * @param cores of all live nodes together
   * @param maps of the job, those included that draw nothing
   * @param surplus of these maps, which take over where others yield: they wait until one has ended
   */
  static void limit(Configuration conf, int cores, int maps, int surplus) {
    if (conf.getInt(MRJobConfig.JOB_RUNNING_MAP_LIMIT, 0) > 0) {
      return;
    }
    int most = Math.max(1, surplus == 0 ? cores : Math.min(cores, maps - surplus));
    if (maps <= most) {
      // an ApplicationMaster that could reach its limit with all of the job's maps asks for the
      // container of a failed one all the same, gives it back, and never asks again
      return;
    }
    LOG.info("at most {} of {} maps run at once", most, maps);
    conf.setInt(MRJobConfig.JOB_RUNNING_MAP_LIMIT, most);
    conf.setInt(InputKeys.RUNNING_MAPS, most);
  }

  /** Removes what was written for another job that had these settings before. */
  static void forget(Configuration conf) {
    String ours = conf.get(InputKeys.RUNNING_MAPS);
    if (ours != null && ours.equals(conf.get(MRJobConfig.JOB_RUNNING_MAP_LIMIT))) {
      conf.unset(MRJobConfig.JOB_RUNNING_MAP_LIMIT);
    }
    conf.unset(InputKeys.RUNNING_MAPS);
  }
}
