package io.vdfs.datanode.rpc.request;

import io.vdfs.common.wire.proto.CallerProto;
import java.util.List;
import org.apache.hadoop.security.UserGroupInformation;

/** Identifies a user: groups, and whether a superuser. Thread-safe. */
public final class Callers {
  private final String daemonUser;
  private final String supergroup;
  private final GroupLookup groups;

  /**
   * @param daemonUser the user of the daemons
   * @param supergroup whose members are superusers too
   */
  public Callers(String daemonUser, String supergroup, GroupLookup groups) {
    this.daemonUser = daemonUser;
    this.supergroup = supergroup;
    this.groups = groups;
  }

  /**
   * @param connection as authenticated; where a proxy calls, the user that it speaks for counts,
   *     and the proxy is noted
   */
  public CallerProto of(UserGroupInformation connection) {
    String user = connection.getShortUserName();
    List<String> groupsOfUser = groups.groupsOf(user);
    CallerProto.Builder caller =
        CallerProto.newBuilder()
            .setUser(user)
            .addAllGroups(groupsOfUser)
            .setSuperuser(user.equals(daemonUser) || groupsOfUser.contains(supergroup));
    if (connection.getRealUser() != null) {
      caller.setRealUser(connection.getRealUser().getShortUserName());
    }
    return caller.build();
  }

  /** The daemon itself. */
  public CallerProto self() {
    return CallerProto.newBuilder().setUser(daemonUser).setSuperuser(true).build();
  }
}
