package io.vdfs.cli.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.cluster.AdminClients;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/** What Hadoop's configuration files say, without any defaults. Immutable. */
public final class HadoopFiles {
  private static final List<String> NAMES =
      List.of("core-site.xml", "yarn-site.xml", "mapred-site.xml", "capacity-scheduler.xml");
  private static final String CLUSTER_PREFIX = "fs.vdfs.cluster.";

  private final Configuration conf = new Configuration(false);
  private final Path directory;

  private HadoopFiles(Path directory) {
    this.directory = directory;
  }

  /**
   * @throws IOException if there is no {@code core-site.xml} or {@code yarn-site.xml}, or a file is
   *     malformed
   */
  public static HadoopFiles read(Path directory) throws IOException {
    HadoopFiles files = new HadoopFiles(directory);
    for (String name : NAMES) {
      if (Files.exists(directory.resolve(name))) {
        files.conf.addResource(
            new org.apache.hadoop.fs.Path(directory.resolve(name).toAbsolutePath().toUri()));
      } else if (NAMES.indexOf(name) < 2) {
        throw new IOException(
            ("no %s in %s; name the directory of Hadoop's configuration by --hadoop-conf or"
                    + " HADOOP_CONF_DIR")
                .formatted(name, directory));
      }
    }
    try {
      files.conf.size();
    } catch (RuntimeException e) {
      throw new IOException(
          "not readable: directory=" + directory + ", " + e.getMessage() + "; correct the file", e);
    }
    return files;
  }

  /** Where they are. */
  public Path directory() {
    return directory;
  }

  public Optional<String> get(String key) {
    return Optional.ofNullable(conf.getTrimmed(key)).filter(value -> !value.isEmpty());
  }

  public Collection<String> list(String key) {
    return conf.getTrimmedStringCollection(key);
  }

  /** Names of the VDFS clusters that a client finds with these files. */
  public Collection<String> clusters() {
    return conf.getPropsWithPrefix(CLUSTER_PREFIX).keySet().stream()
        .filter(key -> key.endsWith(".zookeeper") || key.endsWith(".nodes"))
        .map(key -> key.substring(0, key.lastIndexOf('.')))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** A client as a job would have it; contacts no server yet. */
  public VdfsClient open(String cluster) throws IOException {
    return AdminClients.open(URI.create("vdfs://" + cluster + "/"), conf);
  }
}
