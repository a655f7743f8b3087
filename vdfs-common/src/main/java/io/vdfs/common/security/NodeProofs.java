package io.vdfs.common.security;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ReplicaRequest;

/**
 * Proofs that a node asks what only nodes may. Each is for one request and one nonce of the node
 * that is asked, so that a proof is of no use to a process that has seen it. Immutable.
 */
public final class NodeProofs {
  /** Bytes of a nonce. */
  public static final int NONCE_BYTES = 16;

  private final MacKey key;

  public NodeProofs(ClusterKey key) {
    this.key = key.derive(KeyPurposes.QUESTION);
  }

  /**
   * The request with its proof.
   *
   * @param nonce of the node that is asked
   */
  public ReplicaRequest prove(ReplicaRequest request, ByteString nonce) {
    byte[] proof = key.mac(nonce.toByteArray(), request.toByteArray());
    return request.toBuilder().setProof(ByteString.copyFrom(proof)).build();
  }

  /**
   * @param nonce that was given for this request alone
   * @throws VdfsException PERMISSION_DENIED
   */
  public void require(ReplicaRequest request, ByteString nonce) throws VdfsException {
    byte[] asked = request.toBuilder().clearProof().build().toByteArray();
    if (!key.verify(request.getProof().toByteArray(), nonce.toByteArray(), asked)) {
      throw refusal(request);
    }
  }

  /** The refusal of a caller that does not prove to be a node. */
  public static VdfsException refusal(ReplicaRequest request) {
    return new VdfsException(
        ErrorCode.PERMISSION_DENIED,
        "only a node of the cluster, which has its key, may ask this: question=%s"
            .formatted(request.getOpCase()));
  }
}
