package io.vdfs.datanode.security;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.KeyPurposes;
import io.vdfs.common.security.MacKey;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;

class NodeTrustTest {
  private final SecureRandom random = new SecureRandom();
  private final ClusterKey first = ClusterKey.generate(random);
  private final ClusterKey both = first.roll(random);
  private final ClusterKey second = both.roll(random);
  private final List<String> strange = new ArrayList<>();

  private static MacKey raft(ClusterKey key) {
    return key.derive(KeyPurposes.RAFT);
  }

  private NodeTrust trust(ClusterKey key) {
    return new NodeTrust(raft(key), (address, cause) -> strange.add(address + " " + cause));
  }

  private boolean believes(ClusterKey key, X509Certificate... chain) {
    try {
      trust(key).checkClientTrusted(chain, "UNKNOWN");
      return true;
    } catch (CertificateException e) {
      return false;
    }
  }

  @Test
  void shouldMakeACertificateThatHoldsForEver() throws Exception {
    X509Certificate certificate = NodeCertificate.make(raft(first)).certificate();
    certificate.verify(certificate.getPublicKey());
    certificate.checkValidity(Date.from(Instant.EPOCH));
    certificate.checkValidity(Date.from(Instant.parse("9999-12-31T00:00:00Z")));
    assertEquals(3, certificate.getVersion());
    assertNotEquals(
        certificate.getPublicKey(),
        NodeCertificate.make(raft(first)).certificate().getPublicKey(),
        "each process has a pair of its own");
  }

  @Test
  void shouldBelieveAPeerThatHasTheKeyAlsoWhileItIsRotated() {
    List<ClusterKey> steps = List.of(first, both, second);
    for (ClusterKey peer : steps) {
      X509Certificate certificate = NodeCertificate.make(raft(peer)).certificate();
      for (ClusterKey own : steps) {
        boolean neighbours = Math.abs(steps.indexOf(peer) - steps.indexOf(own)) <= 1;
        assertEquals(neighbours, believes(own, certificate));
      }
    }
  }

  /** Before: there was no certificate, and every peer was believed. */
  @Test
  void shouldBelieveNoOtherPeer() {
    assertFalse(believes(first));
    assertThrows(
        CertificateException.class, () -> trust(first).checkClientTrusted(null, "UNKNOWN"));
    X509Certificate foreign = NodeCertificate.make(raft(ClusterKey.generate(random))).certificate();
    X509Certificate own = NodeCertificate.make(raft(first)).certificate();
    assertFalse(believes(first, foreign));
    assertFalse(believes(first, foreign, own), "who stands behind the peer does not count");
    assertTrue(believes(first, own, foreign));
    assertFalse(
        believes(first, NodeCertificate.make(first.derive(KeyPurposes.TICKET)).certificate()));
  }

  /** A peer that has seen a node's certificate can't use its proof with a key pair of its own. */
  @Test
  void shouldNotBelieveAProofForAnotherPair() throws Exception {
    X509Certificate seen = NodeCertificate.make(raft(first)).certificate();
    String proof = seen.getSubjectX500Principal().getName().substring("CN=".length());
    X509Certificate forged = NodeCertificate.make(publicKey -> proof).certificate();
    assertEquals(seen.getSubjectX500Principal(), forged.getSubjectX500Principal());
    assertTrue(believes(first, seen));
    assertFalse(believes(first, forged));
    for (String nonsense : List.of("", "00", "zz", proof + proof + proof, proof.substring(2))) {
      assertFalse(
          believes(first, NodeCertificate.make(publicKey -> nonsense).certificate()), nonsense);
    }
  }

  @Test
  void shouldTellWhereAStrangeServerWasMet() throws Exception {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine("node-7", 9862);
    X509Certificate[] own = {NodeCertificate.make(raft(first)).certificate()};
    X509Certificate[] foreign = {
      NodeCertificate.make(raft(ClusterKey.generate(random))).certificate()
    };
    assertDoesNotThrow(() -> trust(first).checkServerTrusted(own, "UNKNOWN", engine));
    assertEquals(List.of(), strange);
    assertThrows(
        CertificateException.class,
        () -> trust(first).checkServerTrusted(foreign, "UNKNOWN", engine));
    assertEquals(
        List.of("node-7:9862 the certificate was not made with this cluster's key"), strange);
    assertArrayEquals(new X509Certificate[0], trust(first).getAcceptedIssuers());
  }
}
