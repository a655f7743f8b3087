package io.vdfs.datanode.rpc;

import io.vdfs.datanode.rpc.request.GroupLookup;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Groups;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks Hadoop's group mapping, which remembers its answers. Thread-safe. */
public final class HadoopGroupLookup implements GroupLookup {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopGroupLookup.class);

  private final Groups groups;

  public HadoopGroupLookup(Configuration configuration) {
    groups = Groups.getUserToGroupsMappingService(configuration);
  }

  @Override
  public List<String> groupsOf(String user) {
    try {
      return List.copyOf(groups.getGroupsSet(user));
    } catch (IOException e) {
      LOG.debug("no groups found: user={}", user, e);
      return List.of();
    }
  }
}
