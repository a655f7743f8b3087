package io.vdfs.it.quickstart;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The phases of the quickstart, one after the other. Confined to the main thread. */
final class Quickstart {
  static final int NODES = 3;
  private static final int MAX_CORES_PER_NODE = 2;
  private static final long WORK_SPACE = 1L << 30;
  private static final long MAX_DISTINCT_TEXT = 64L << 20;
  private static final Path IN = new Path("/in");
  private static final Path WORDCOUNT_OUT = new Path("/out/wordcount");
  private static final Path GREP_OUT = new Path("/out/grep");
  private static final String PATTERN = "[A-Z][a-z]+ [A-Z][a-z]+";

  private final RunDirectory run;
  private final Screen screen;
  private final Children children;
  private final List<java.nio.file.Path> files;
  private final long textBytes;
  private DataNodes dataNodes;

  /**
   * @param files to be loaded; if none, text is made
   * @param textBytes of the text to be made
   */
  Quickstart(RunDirectory run, Screen screen, List<java.nio.file.Path> files, long textBytes) {
    this.run = run;
    this.screen = screen;
    this.children = new Children(run);
    this.files = files;
    this.textBytes = textBytes;
  }

  /** Runs all phases; on return the cluster is still up. */
  void run() throws QuickstartException, IOException, InterruptedException {
    List<Input> named = Input.named(files);
    long bytes = named.isEmpty() ? textBytes : named.stream().mapToLong(Input::bytes).sum();
    checkSpace(bytes);
    screen.print(
        "VDFS on this machine: three DataNodes, YARN and two stock MapReduce jobs.\n"
            + "Everything is kept in "
            + run.root()
            + " and removed at the end.\n");
    Yarn yarn = start();
    List<Input> inputs = named.isEmpty() ? List.of(makeText()) : named;
    FileSystem fileSystem =
        FileSystem.get(URI.create("vdfs://" + DataNodes.CLUSTER + "/"), new Configuration());
    load(fileSystem, inputs);
    VdfsClient client = ((VdfsFileSystem) fileSystem).vdfsClient();
    NodeReads before = NodeReads.now(client);
    RanJob wordcount = countWords(new JobRecords(yarn, fileSystem));
    NodeReads between = NodeReads.now(client);
    NodeLoss loss = new NodeLoss(dataNodes, NODES);
    RanJob grep = grep(new JobRecords(yarn, fileSystem), loss);
    NodeReads after = NodeReads.now(client);
    reportWords(TopCounts.read(fileSystem, WORDCOUNT_OUT, false));
    reportMatches(TopCounts.read(fileSystem, GREP_OUT, true), inputs, loss);
    reportShares(wordcount, "wordcount", between.since(before));
    reportShares(grep, "grep", after.since(between));
  }

  private void checkSpace(long bytes) throws QuickstartException, IOException {
    long needed = NODES * bytes + WORK_SPACE;
    long free = Files.getFileStore(run.root()).getUsableSpace();
    if (free < needed) {
      throw new QuickstartException(
          "not enough disk space: directory="
              + run.root().getParent()
              + ", free="
              + Amounts.mebibytes(free)
              + ", needed="
              + Amounts.mebibytes(needed)
              + "; set TMPDIR to a directory with more, or load less");
    }
  }

  private Yarn start() throws QuickstartException, IOException, InterruptedException {
    screen.begin("start");
    screen.progress("ZooKeeper");
    int cores = coresPerNode();
    List<NodeHost> hosts = NodeHost.choose(NODES);
    ZooKeeperService zooKeeper = ZooKeeperService.start(run);
    dataNodes = DataNodes.launch(run, children, hosts, zooKeeper.address(), cores);
    screen.progress("DataNodes and YARN");
    Yarn yarn = Yarn.start(run, hosts, settings(zooKeeper, cores));
    dataNodes.awaitServing(screen);
    yarn.startJobHistory();
    yarn.awaitNodes(NODES, screen);
    screen.done(
        "ZooKeeper, 3 DataNodes, 1 ResourceManager and 3 NodeManagers are up at "
            + String.join(", ", hosts.stream().map(NodeHost::name).distinct().toList())
            + "; "
            + yarn.vcores()
            + " vcores advertised for "
            + Amounts.of(Runtime.getRuntime().availableProcessors(), "processor"));
    return yarn;
  }

  private static int coresPerNode() {
    int cores = Runtime.getRuntime().availableProcessors() / NODES;
    return Math.max(1, Math.min(cores, MAX_CORES_PER_NODE));
  }

  private Map<String, String> settings(ZooKeeperService zooKeeper, int cores) throws IOException {
    Map<String, String> settings = new TreeMap<>();
    settings.putAll(HadoopSettings.fileSystem(zooKeeper.address()));
    settings.putAll(HadoopSettings.yarn(run, VdfsInstallation.hadoopClassPath(), cores));
    settings.putAll(HadoopSettings.mapReduce(run));
    return settings;
  }

  private Input makeText() throws QuickstartException, IOException {
    screen.begin("text");
    java.nio.file.Path repository = VdfsInstallation.mavenRepository();
    RepositoryText text = new RepositoryText(Math.min(textBytes, MAX_DISTINCT_TEXT), screen);
    text.collect(repository, run.text());
    long length = Files.size(run.text());
    long copies = Math.max(1, (textBytes + length - 1) / length);
    Input input = Input.of("text", run.text(), copies);
    String repeated =
        copies == 1 ? "" : ", repeated " + copies + " times to " + Amounts.mebibytes(input.bytes());
    screen.done(text + " in " + repository + repeated);
    return input;
  }

  private void load(FileSystem fileSystem, List<Input> inputs) throws IOException {
    screen.begin("load");
    new Loader(fileSystem, screen).load(inputs, IN);
    long bytes = inputs.stream().mapToLong(Input::bytes).sum();
    screen.done(
        Amounts.mebibytes(bytes)
            + " in "
            + Amounts.of(inputs.size(), "file")
            + " written to "
            + fileSystem.makeQualified(IN)
            + ", three copies of each block");
  }

  private RanJob countWords(JobRecords records)
      throws QuickstartException, IOException, InterruptedException {
    screen.begin("wordcount");
    List<String> arguments = List.of(IN.toString(), WORDCOUNT_OUT.toString());
    new StockJob(run, children).run("wordcount", arguments, screen, records::state);
    RanJob job = records.read().get(0);
    screen.done(Report.summary(job));
    return job;
  }

  private RanJob grep(JobRecords records, NodeLoss loss)
      throws QuickstartException, IOException, InterruptedException {
    screen.begin("grep");
    List<String> arguments = List.of(IN.toString(), GREP_OUT.toString(), PATTERN);
    StockJob.Watch watch =
        () -> {
          if (loss.told().isEmpty()) {
            Optional<StreamReport> progress = records.firstJobProgress();
            if (progress.isPresent()) {
              loss.onProgress(progress.get());
            }
          }
          return records.state();
        };
    new StockJob(run, children).run("grep", arguments, screen, watch);
    // it sorts its results with a second job
    RanJob job = records.read().get(0);
    screen.done(Report.summary(job));
    return job;
  }

  private void reportWords(TopCounts words) {
    screen.print(
        "\nwordcount: "
            + Amounts.of(words.total(), "word")
            + ", "
            + Amounts.count(words.different())
            + " different; the most frequent");
    screen.print(Report.counts(words));
  }

  private void reportMatches(TopCounts matches, List<Input> inputs, NodeLoss loss)
      throws QuickstartException, IOException {
    TopCounts expected = LocalMatches.count(inputs, PATTERN);
    if (!matches.equals(expected)) {
      throw new QuickstartException(
          "grep ended with a wrong answer: found=" + matches + ", in the local files=" + expected);
    }
    screen.print(
        "grep '"
            + PATTERN
            + "': "
            + Amounts.count(matches.total())
            + " matches, "
            + Amounts.count(matches.different())
            + " different; the most frequent");
    screen.print(Report.counts(matches));
    screen.print(
        "Meanwhile "
            + loss.told().orElse("no DataNode was killed, as the job was over too soon")
            + ";\nthe answer is the one that counting in the local files gives.\n");
  }

  private void reportShares(RanJob job, String program, NodeReads reads) {
    job.stream()
        .ifPresent(
            stream -> {
              screen.print("Blocks of " + program + ", by node and by task");
              screen.print(Report.shares(job, stream));
              screen.print("Reads of the nodes for " + program);
              screen.print(Report.reads(reads, stream));
            });
  }
}
