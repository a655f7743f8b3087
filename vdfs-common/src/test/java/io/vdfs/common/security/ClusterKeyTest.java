package io.vdfs.common.security;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterKeyTest {
  private final SecureRandom random = new SecureRandom();
  private final ClusterKey first = ClusterKey.generate(random);
  private final ClusterKey both = first.roll(random);
  private final ClusterKey second = both.roll(random);

  @Test
  void shouldMakeTheProofThatOtherProgramsWouldMake() {
    byte[] generation = new byte[32];
    Arrays.fill(generation, (byte) 7);
    MacKey key = ClusterKey.of(List.of(generation)).derive("ticket");
    // python3: k = hmac(b'\x07' * 32, b'vdfs cluster key for ticket');
    // hmac(k, b'\0\0\0\2ab' b'\0\0\0\0' b'\0\0\0\1c'), all with SHA-256
    assertEquals(
        "f6b29222a228e0eb8eb3c93826f64f7bf35f21deed98ea44703a4f2944a374d1",
        HexFormat.of().formatHex(key.mac(bytes("ab"), bytes(""), bytes("c"))));
  }

  @Test
  void shouldBelieveOnlyTheSameValuesForTheSamePurpose() {
    MacKey key = first.derive(KeyPurposes.TICKET);
    byte[] mac = key.mac(bytes("ab"), bytes("c"));
    assertEquals(MacKey.BYTES, mac.length);
    assertTrue(first.derive(KeyPurposes.TICKET).verify(mac, bytes("ab"), bytes("c")));
    assertFalse(key.verify(mac, bytes("a"), bytes("bc")));
    assertFalse(key.verify(mac, bytes("abc")));
    assertFalse(key.verify(mac, bytes("ab"), bytes("c"), bytes("")));
    assertFalse(key.verify(mac));
    assertFalse(first.derive(KeyPurposes.NODE).verify(mac, bytes("ab"), bytes("c")));
    assertFalse(
        ClusterKey.generate(random)
            .derive(KeyPurposes.TICKET)
            .verify(mac, bytes("ab"), bytes("c")));
    for (int bit = 0; bit < mac.length * 8; bit++) {
      byte[] forged = mac.clone();
      forged[bit / 8] ^= (byte) (1 << bit % 8);
      assertFalse(key.verify(forged, bytes("ab"), bytes("c")));
    }
    for (int length : new int[] {0, 1, 31, 33, 63, 65, 96, 1 << 20}) {
      assertFalse(key.verify(Arrays.copyOf(mac, length), bytes("ab"), bytes("c")));
    }
  }

  /**
   * Neighbours in a rotation believe each other both ways; the first key is worthless in the end.
   */
  @Test
  void shouldBelieveEachOtherThroughoutARotation() {
    byte[] value = bytes("v");
    assertFalse(first.isRotating());
    assertTrue(both.isRotating());
    assertFalse(second.isRotating());
    List<ClusterKey> steps = List.of(first, both, second);
    for (ClusterKey maker : steps) {
      for (ClusterKey checker : steps) {
        boolean neighbours = Math.abs(steps.indexOf(maker) - steps.indexOf(checker)) <= 1;
        byte[] mac = maker.derive(KeyPurposes.ZOOKEEPER).mac(value);
        assertEquals(neighbours, checker.derive(KeyPurposes.ZOOKEEPER).verify(mac, value));
      }
    }
    assertEquals(both.fingerprints(), List.of(second.fingerprints().get(0), fingerprint(first)));
    assertNotEquals(fingerprint(first), fingerprint(second));
  }

  @Test
  void shouldTellWhatNeedsANewProofBeforeTheOldGenerationGoes() {
    byte[] value = bytes("v");
    MacKey rotating = both.derive(KeyPurposes.ZOOKEEPER);
    byte[] old = first.derive(KeyPurposes.ZOOKEEPER).mac(value);
    assertTrue(rotating.verify(old, value));
    assertFalse(rotating.verifyNewest(old, value));
    assertTrue(rotating.verifyNewest(rotating.mac(value), value));
    List<byte[]> pieces = rotating.macs(value);
    assertEquals(2, pieces.size());
    assertArrayEquals(pieces.get(0), second.derive(KeyPurposes.ZOOKEEPER).mac(value));
    assertArrayEquals(pieces.get(1), old);
  }

  @Test
  void shouldRefuseWhatIsNoKey() {
    byte[] generation = new byte[32];
    assertThrows(IllegalArgumentException.class, () -> ClusterKey.of(List.of()));
    assertThrows(IllegalArgumentException.class, () -> ClusterKey.of(List.of(new byte[31])));
    assertThrows(
        IllegalArgumentException.class, () -> ClusterKey.of(List.of(generation, new byte[32])));
    assertThrows(
        IllegalArgumentException.class,
        () -> ClusterKey.of(List.of(generation, generation, generation)));
  }

  @Test
  void shouldNeverShowTheKey() {
    for (byte[] generation : both.generations()) {
      String hex = HexFormat.of().formatHex(generation);
      assertFalse(both.toString().contains(hex.substring(0, 8)), both::toString);
    }
  }

  private static String fingerprint(ClusterKey key) {
    return key.fingerprints().get(0);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
