package io.vdfs.it.quickstart;

import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What YARN, the job history and the ledgers report about jobs, from one moment on. Confined to the
 * main thread.
 */
final class JobRecords {
  private static final Logger LOG = LoggerFactory.getLogger(JobRecords.class);
  private static final int MAX_EVENTS = 10_000;

  private final Yarn yarn;
  private final FileSystem fileSystem;
  private final StreamLedger ledger;
  private final int earlierJobs;

  private JobID watched;
  private Optional<String> watchedStream = Optional.empty();

  /** Records of jobs that will be submitted from now on. */
  JobRecords(Yarn yarn, FileSystem fileSystem) {
    this.yarn = yarn;
    this.fileSystem = fileSystem;
    this.ledger = new StreamLedger(fileSystem);
    this.earlierJobs = yarn.applications().size();
  }

  private List<RMApp> applications() {
    List<RMApp> all = yarn.applications();
    return all.subList(earlierJobs, all.size());
  }

  /** The progress of the latest job, in a line. */
  String state() {
    List<RMApp> applications = applications();
    if (applications.isEmpty()) {
      return "submitting the job";
    }
    RMApp latest = applications.get(applications.size() - 1);
    String percent = String.format(Locale.ROOT, "%.0f %%", 100 * latest.getProgress());
    return "job '" + latest.getName() + "' " + percent + blocks(latest);
  }

  private String blocks(RMApp application) {
    return progress(application)
        .map(report -> ", " + report.handedOut() + " of " + report.blocks() + " blocks handed out")
        .orElse("");
  }

  /** How far the first job has got with its input, once it draws. */
  Optional<StreamReport> firstJobProgress() {
    return applications().stream().findFirst().flatMap(this::progress);
  }

  private Optional<StreamReport> progress(RMApp application) {
    JobID job = TypeConverter.fromYarn(application.getApplicationId());
    try {
      if (!job.equals(watched) || watchedStream.isEmpty()) {
        watchedStream = submittedStream(job);
        watched = job;
      }
      return watchedStream.isPresent()
          ? Optional.of(ledger.report(watchedStream.get()))
          : Optional.empty();
    } catch (IOException e) {
      LOG.info("no progress of {} to show", job, e);
      return Optional.empty();
    }
  }

  private Optional<String> submittedStream(JobID job) throws IOException {
    Path staging =
        MRApps.getStagingAreaDir(
            fileSystem.getConf(), UserGroupInformation.getCurrentUser().getShortUserName());
    Path file = new Path(new Path(staging, job.toString()), "job.xml");
    return fileSystem.exists(file) ? streamOf(file) : Optional.empty();
  }

  /**
   * @param jobFile the configuration of a job as it was submitted
   */
  private Optional<String> streamOf(Path jobFile) throws IOException {
    Configuration conf = new Configuration(false);
    try (InputStream in = fileSystem.open(jobFile)) {
      conf.addResource(in);
      return Optional.ofNullable(conf.get(InputKeys.STREAM_ID));
    }
  }

  /** All jobs in the order of their submission; they must have succeeded. */
  List<RanJob> read() throws IOException, InterruptedException {
    List<RanJob> jobs = new ArrayList<>();
    Cluster cluster = new Cluster(new Configuration());
    try {
      for (RMApp application : applications()) {
        jobs.add(read(cluster, application));
      }
    } finally {
      cluster.close();
    }
    return jobs;
  }

  private RanJob read(Cluster cluster, RMApp application) throws IOException, InterruptedException {
    JobID id = TypeConverter.fromYarn(application.getApplicationId());
    Job job = cluster.getJob(id);
    if (job == null) {
      throw new IOException("the job history does not know " + id);
    }
    Optional<String> stream = streamOf(new Path(job.getJobFile()));
    LOG.info("{} drew from {}, as {} tells", id, stream, job.getJobFile());
    int reduces = job.getTaskReports(TaskType.REDUCE).length;
    if (stream.isEmpty()) {
      return new RanJob(application.getName(), mapHosts(job), reduces, Optional.empty(), List.of());
    }
    StreamReport report = ledger.report(stream.get());
    return new RanJob(
        application.getName(),
        mapHosts(job),
        reduces,
        Optional.of(report),
        ledger.lists(stream.get(), report.tasks().size()));
  }

  private static List<String> mapHosts(Job job) throws IOException, InterruptedException {
    int maps = job.getTaskReports(TaskType.MAP).length;
    List<String> hosts = new ArrayList<>(Collections.nCopies(maps, "?"));
    for (TaskCompletionEvent event : job.getTaskCompletionEvents(0, MAX_EVENTS)) {
      if (event.isMapTask() && event.getStatus() == TaskCompletionEvent.Status.SUCCEEDED) {
        int task = event.getTaskAttemptId().getTaskID().getId();
        hosts.set(task, hostOf(event.getTaskTrackerHttp()));
      }
    }
    return hosts;
  }

  /**
   * @param address of a NodeManager's web page: {@code host:port}
   */
  private static String hostOf(String address) {
    return address.substring(0, Math.max(0, address.lastIndexOf(':')));
  }
}
