package io.vdfs.common.security;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves with the cluster key that some values come from a node, for one purpose: HMAC-SHA256 over
 * the values, each behind its length, so that what ends one cannot begin the next. Immutable.
 */
public final class MacKey {
  /** Bytes of a proof by one generation. */
  public static final int BYTES = 32;

  /** Most generations that a key has at a time. */
  static final int MAX_GENERATIONS = 2;

  /** Most bytes of a proof, which has {@link #BYTES} for each generation of the key. */
  public static final int MAX_BYTES = BYTES * MAX_GENERATIONS;

  private static final String ALGORITHM = "HmacSHA256";

  private final List<byte[]> keys;

  MacKey(List<byte[]> keys) {
    this.keys = keys;
  }

  /**
   * A proof that all nodes believe, also while the key is rotated: one by each generation in a row,
   * newest first. Its length may differ between two nodes and two starts of one.
   */
  public byte[] mac(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream(MAX_BYTES);
    for (byte[] one : macs(parts)) {
      all.writeBytes(one);
    }
    return all.toByteArray();
  }

  /**
   * The same in pieces of {@link #BYTES}, one by each generation, newest first, for secrets that
   * other code compares.
   */
  public List<byte[]> macs(byte[]... parts) {
    return keys.stream().map(key -> mac(key, parts)).toList();
  }

  private static byte[] mac(byte[] key, byte[]... parts) {
    Mac mac = hmac(key);
    for (byte[] part : parts) {
      mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).flip());
      mac.update(part);
    }
    return mac.doFinal();
  }

  /** What sums up values with one key. */
  static Mac hmac(byte[] key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("each Java has " + ALGORITHM, e);
    }
  }

  /**
   * Whether some node made this proof for these values, with any generation that this key has. How
   * long that takes does not depend on where the bytes differ.
   *
   * @param mac of any length and origin
   */
  public boolean verify(byte[] mac, byte[]... parts) {
    return proves(mac, macs(parts));
  }

  /**
   * Whether the newest generation is among those that made this proof: if not, what is kept with it
   * needs a new one before the older generation is given up.
   */
  public boolean verifyNewest(byte[] mac, byte[]... parts) {
    return proves(mac, List.of(mac(keys.get(0), parts)));
  }

  private static boolean proves(byte[] mac, List<byte[]> expected) {
    if (mac.length == 0 || mac.length > MAX_BYTES || mac.length % BYTES != 0) {
      return false;
    }
    boolean proved = false;
    for (int from = 0; from < mac.length; from += BYTES) {
      byte[] piece = Arrays.copyOfRange(mac, from, from + BYTES);
      for (byte[] one : expected) {
        proved |= MessageDigest.isEqual(piece, one);
      }
    }
    return proved;
  }
}
