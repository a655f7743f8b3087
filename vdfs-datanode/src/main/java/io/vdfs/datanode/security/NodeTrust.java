package io.vdfs.datanode.security;

import io.vdfs.common.security.MacKey;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Believes peers in TLS, on either side, that have the key of this cluster, and no others: neither
 * names nor dates nor authorities count. Immutable.
 */
public final class NodeTrust extends X509ExtendedTrustManager {
  private final MacKey key;
  private final BiConsumer<String, String> onStrangeServer;

  /**
   * @param onStrangeServer told address and reason where this process connected to a peer that does
   *     not have the key; must be thread-safe
   */
  public NodeTrust(MacKey key, BiConsumer<String, String> onStrangeServer) {
    this.key = key;
    this.onStrangeServer = onStrangeServer;
  }

  private void check(X509Certificate[] chain) throws CertificateException {
    if (chain == null || chain.length == 0) {
      throw new CertificateException("no certificate");
    }
    if (!NodeCertificate.isProof(chain[0], key)) {
      throw new CertificateException("the certificate was not made with this cluster's key");
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    try {
      check(chain);
    } catch (CertificateException e) {
      onStrangeServer.accept(engine.getPeerHost() + ":" + engine.getPeerPort(), e.getMessage());
      throw e;
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain);
  }

  /** None: certificates of nodes have no issuers. */
  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
