package io.vdfs.client.hadoop;

import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.files.ContentAccess;
import io.vdfs.client.hadoop.cluster.SharedClients;
import io.vdfs.client.hadoop.streams.OpenStreams;
import java.io.IOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/** Filesystems over one cluster in memory, which share their clients. */
public final class TestFileSystems {
  public static final URI NAMED = URI.create("vdfs://test/");

  private final FakeCluster cluster = new FakeCluster();
  private final UserGroupInformation alice = UserGroupInformation.createRemoteUser("alice");
  private final SharedClients clients = new SharedClients();
  private final PinnedFiles pins = new PinnedFiles();
  private final List<FakeClient> opened = new ArrayList<>();
  private final UnaryOperator<ContentAccess> content;
  private final Duration closeLimit;

  public TestFileSystems() {
    this(fake -> fake, OpenStreams.LIMIT);
  }

  /**
   * @param content wraps the content in memory
   * @param closeLimit of completing the files of a filesystem that is closed
   */
  TestFileSystems(UnaryOperator<ContentAccess> content, Duration closeLimit) {
    this.content = content;
    this.closeLimit = closeLimit;
  }

  public FakeCluster cluster() {
    return cluster;
  }

  public SharedClients clients() {
    return clients;
  }

  /** The clients made so far, the latest last. */
  List<FakeClient> opened() {
    return opened;
  }

  public FakeClient latest() {
    return opened.get(opened.size() - 1);
  }

  public static Configuration configuration() {
    Configuration configuration = new Configuration();
    configuration.set("fs.vdfs.cluster.test.zookeeper", "zk:2181");
    configuration.set("fs.permissions.umask-mode", "022");
    configuration.setInt("fs.vdfs.list.page", 3);
    return configuration;
  }

  VdfsFileSystem create() {
    return new VdfsFileSystem(
        clients,
        (key, configuration, user) -> {
          FakeClient client = new FakeClient(cluster, "elsewhere", content);
          opened.add(client);
          return client.client();
        },
        pins,
        closeLimit);
  }

  public VdfsFileSystem initialized() throws IOException {
    return initialized(alice, configuration());
  }

  VdfsFileSystem initialized(String user, Configuration configuration) throws IOException {
    return initialized(UserGroupInformation.createRemoteUser(user), configuration);
  }

  public VdfsFileSystem initialized(UserGroupInformation user, Configuration configuration)
      throws IOException {
    VdfsFileSystem fileSystem = create();
    try {
      user.doAs(
          (PrivilegedExceptionAction<Void>)
              () -> {
                fileSystem.initialize(NAMED, configuration);
                return null;
              });
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return fileSystem;
  }
}
