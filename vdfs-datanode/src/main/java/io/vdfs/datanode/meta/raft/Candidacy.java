package io.vdfs.datanode.meta.raft;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.LeaderElectionManagementRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.ProtoUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this member from standing for election for a while. Confined to one thread at a time.
 *
 * <p>Ratis has a switch for that. While it is off, a member that misses a leader becomes a
 * candidate that asks no other member, and stays so until it hears a leader, also after the switch
 * is on again. So such a candidate is then made a follower by a request for its vote in the next
 * term, as from a candidate with an empty log. It costs a term.
 */
final class Candidacy {
  private static final Logger LOG = LoggerFactory.getLogger(Candidacy.class);

  private final RaftServer server;
  private final RaftGroupId groupId;
  private final ClientId clientId = ClientId.randomId();
  private final AtomicLong callIds = new AtomicLong();
  private boolean forbidden;

  Candidacy(RaftServer server, RaftGroupId groupId) {
    this.server = server;
    this.groupId = groupId;
  }

  /** To be called again where the member takes no part in elections yet. */
  void forbid() {
    forbidden = true;
    manage(
        LeaderElectionManagementRequest.newPause(
            clientId, server.getId(), groupId, callIds.incrementAndGet()));
  }

  void allow() {
    if (!forbidden) {
      return;
    }
    forbidden = false;
    manage(
        LeaderElectionManagementRequest.newResume(
            clientId, server.getId(), groupId, callIds.incrementAndGet()));
    try {
      DivisionInfo info = server.getDivision(groupId).getInfo();
      if (info.getCurrentRole() == RaftPeerRole.CANDIDATE) {
        server.requestVote(fromNobody(info.getCurrentTerm() + 1));
      }
    } catch (IOException e) {
      LOG.warn("this member may not stand for election before it has heard a leader", e);
    }
  }

  private void manage(LeaderElectionManagementRequest request) {
    var unused =
        server
            .leaderElectionManagementAsync(request)
            .exceptionally(
                e -> {
                  LOG.debug("no part in elections yet", e);
                  return null;
                });
  }

  private RequestVoteRequestProto fromNobody(long term) {
    return RequestVoteRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRequestorId(server.getId().toByteString())
                .setReplyId(server.getId().toByteString())
                .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(groupId))
                .setCallId(callIds.incrementAndGet()))
        .setCandidateTerm(term)
        .build();
  }
}
