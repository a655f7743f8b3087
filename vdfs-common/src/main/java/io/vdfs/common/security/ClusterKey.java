package io.vdfs.common.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The secret that makes a process a node of its cluster: one or two generations, newest first.
 * Immutable; {@code toString} tells fingerprints only.
 *
 * <p>Two generations let the key be replaced while the cluster runs. A node that has two proves
 * itself with both and believes either, so it works with nodes that have only the older one, as
 * they are not restarted yet, and with nodes that have only the newer one; see {@link #roll}.
 */
public final class ClusterKey {
  /** Bytes of a generation, and of a key derived from it. */
  public static final int GENERATION_BYTES = MacKey.BYTES;

  private static final String DERIVATION = "vdfs cluster key for ";
  private static final int FINGERPRINT_BYTES = 4;

  private final List<byte[]> generations;

  private ClusterKey(List<byte[]> generations) {
    this.generations = generations;
  }

  /**
   * @param generations one or two, newest first; copied
   * @throws IllegalArgumentException where there are more or fewer, a length is wrong or both are
   *     the same
   */
  static ClusterKey of(List<byte[]> generations) {
    if (generations.isEmpty() || generations.size() > MacKey.MAX_GENERATIONS) {
      throw new IllegalArgumentException(
          "a cluster key has one or two generations: generations=" + generations.size());
    }
    List<byte[]> copies = new ArrayList<>();
    for (byte[] generation : generations) {
      if (generation.length != GENERATION_BYTES) {
        throw new IllegalArgumentException(
            "a generation has %d bytes: bytes=%d".formatted(GENERATION_BYTES, generation.length));
      }
      copies.add(generation.clone());
    }
    if (copies.size() == MacKey.MAX_GENERATIONS
        && MessageDigest.isEqual(copies.get(0), copies.get(1))) {
      throw new IllegalArgumentException("both generations of the cluster key are the same");
    }
    return new ClusterKey(List.copyOf(copies));
  }

  /** A new key of one generation. */
  public static ClusterKey generate(SecureRandom random) {
    return new ClusterKey(List.of(generation(random)));
  }

  private static byte[] generation(SecureRandom random) {
    byte[] generation = new byte[GENERATION_BYTES];
    random.nextBytes(generation);
    return generation;
  }

  /**
   * The next step of a rotation: a key of one generation gets a newer one beside it, a key of two
   * loses the older one. A step ends when all nodes were restarted with its key; after both, the
   * old generation is worthless.
   */
  public ClusterKey roll(SecureRandom random) {
    return isRotating()
        ? new ClusterKey(List.of(generations.get(0)))
        : new ClusterKey(List.of(generation(random), generations.get(0)));
  }

  /** Whether there are two generations. */
  public boolean isRotating() {
    return generations.size() == MacKey.MAX_GENERATIONS;
  }

  /**
   * The key for one purpose.
   *
   * @param purpose one of {@link KeyPurposes}
   */
  public MacKey derive(String purpose) {
    return new MacKey(
        generations.stream().map(generation -> hmac(generation, (DERIVATION + purpose))).toList());
  }

  /** Fingerprints that tell generations apart without revealing them, newest first. */
  public List<String> fingerprints() {
    return generations.stream()
        .map(generation -> hmac(generation, "vdfs cluster key fingerprint"))
        .map(mac -> HexFormat.of().formatHex(mac, 0, FINGERPRINT_BYTES))
        .toList();
  }

  /** The generations themselves, newest first, for the key file. */
  List<byte[]> generations() {
    return generations;
  }

  private static byte[] hmac(byte[] key, String text) {
    return MacKey.hmac(key).doFinal(text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return "ClusterKey[fingerprints=" + fingerprints() + "]";
  }
}
