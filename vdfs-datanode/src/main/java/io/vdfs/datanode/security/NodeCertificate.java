package io.vdfs.datanode.security;

import io.vdfs.common.security.MacKey;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.HexFormat;
import java.util.function.Function;

/**
 * A process's proof in TLS that it has the cluster key: a key pair made for this process, and a
 * certificate whose subject is a proof by the cluster key over the public one. No authority stands
 * behind it and it does not expire: it is worth as much as the cluster key, and ends with it.
 *
 * <p>TLS shows that the peer has the private key, and the subject that the pair was made with the
 * cluster key. So a party that only sees a certificate can do nothing with it, and the cluster key
 * itself is never used on a wire. While the cluster key is rotated the proof is by both
 * generations.
 */
public final class NodeCertificate {
  private static final String CURVE = "secp256r1";
  private static final String SIGNATURE = "SHA256withECDSA";
  private static final String SUBJECT = "CN=";

  private final PrivateKey privateKey;
  private final X509Certificate certificate;

  private NodeCertificate(PrivateKey privateKey, X509Certificate certificate) {
    this.privateKey = privateKey;
    this.certificate = certificate;
  }

  /** A new pair; nothing of it is ever written anywhere. */
  public static NodeCertificate make(MacKey key) {
    return make(publicKey -> HexFormat.of().formatHex(key.mac(publicKey)));
  }

  /**
   * @param proof in hexadecimal digits, over the public key
   */
  static NodeCertificate make(Function<byte[], String> proof) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec(CURVE));
      KeyPair pair = generator.generateKeyPair();
      byte[] publicKey = pair.getPublic().getEncoded();
      byte[] body = Der.body(proof.apply(publicKey), publicKey);
      Signature signature = Signature.getInstance(SIGNATURE);
      signature.initSign(pair.getPrivate());
      signature.update(body);
      byte[] encoded = Der.certificate(body, signature.sign());
      return new NodeCertificate(
          pair.getPrivate(),
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(encoded)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("each Java has EC keys and X.509 certificates", e);
    }
  }

  public PrivateKey privateKey() {
    return privateKey;
  }

  public X509Certificate certificate() {
    return certificate;
  }

  /**
   * Whether this certificate was made with the cluster key.
   *
   * @param certificate of any origin
   */
  static boolean isProof(X509Certificate certificate, MacKey key) {
    String subject = certificate.getSubjectX500Principal().getName();
    if (!subject.startsWith(SUBJECT)
        || subject.length() > SUBJECT.length() + 2 * MacKey.MAX_BYTES) {
      return false;
    }
    try {
      byte[] proof = HexFormat.of().parseHex(subject, SUBJECT.length(), subject.length());
      return key.verify(proof, certificate.getPublicKey().getEncoded());
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** The parts of X.509 (RFC 5280) that such a certificate needs, in DER (X.690). */
  private static final class Der {
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int UTF8_STRING = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int VERSION = 0xa0;

    /** 1.2.840.10045.4.3.2, ecdsa-with-SHA256. */
    private static final byte[] ALGORITHM =
        tlv(SEQUENCE, tlv(OBJECT_IDENTIFIER, HexFormat.of().parseHex("2a8648ce3d040302")));

    /** 2.5.4.3, the common name. */
    private static final byte[] COMMON_NAME =
        tlv(OBJECT_IDENTIFIER, HexFormat.of().parseHex("550403"));

    /** The longest period that can be written. */
    private static final byte[] VALIDITY =
        tlv(
            SEQUENCE,
            tlv(UTC_TIME, ascii("700101000000Z")),
            tlv(GENERALIZED_TIME, ascii("99991231235959Z")));

    /**
     * @param name in hexadecimal digits
     * @param publicKey as X.509 writes it
     */
    static byte[] body(String name, byte[] publicKey) {
      byte[] distinguished =
          tlv(SEQUENCE, tlv(SET, tlv(SEQUENCE, COMMON_NAME, tlv(UTF8_STRING, ascii(name)))));
      return tlv(
          SEQUENCE,
          tlv(VERSION, tlv(INTEGER, BigInteger.TWO.toByteArray())),
          tlv(INTEGER, BigInteger.ONE.toByteArray()),
          ALGORITHM,
          distinguished,
          VALIDITY,
          distinguished,
          publicKey);
    }

    static byte[] certificate(byte[] body, byte[] signature) {
      return tlv(SEQUENCE, body, ALGORITHM, tlv(BIT_STRING, new byte[1], signature));
    }

    private static byte[] ascii(String text) {
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] tlv(int tag, byte[]... parts) {
      int length = 0;
      for (byte[] part : parts) {
        length += part.length;
      }
      byte[] head = head(tag, length);
      byte[] all = new byte[head.length + length];
      System.arraycopy(head, 0, all, 0, head.length);
      int at = head.length;
      for (byte[] part : parts) {
        System.arraycopy(part, 0, all, at, part.length);
        at += part.length;
      }
      return all;
    }

    /** A length below 128 stands alone, a longer one behind the number of its bytes. */
    private static byte[] head(int tag, int length) {
      if (length < 0x80) {
        return new byte[] {(byte) tag, (byte) length};
      }
      if (length < 0x100) {
        return new byte[] {(byte) tag, (byte) 0x81, (byte) length};
      }
      return new byte[] {(byte) tag, (byte) 0x82, (byte) (length >> 8), (byte) length};
    }
  }
}
