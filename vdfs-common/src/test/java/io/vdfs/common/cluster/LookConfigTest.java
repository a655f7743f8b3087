package io.vdfs.common.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LookConfigTest {
  private static final String TLS_KEY = "zookeeper.ssl.keyStore.location";

  private static final List<String> KEYS =
      List.of(
          ZKConfig.JUTE_MAXBUFFER,
          ZKConfig.KINIT_COMMAND,
          ZKClientConfig.ENABLE_CLIENT_SASL_KEY,
          ZKClientConfig.LOGIN_CONTEXT_NAME_KEY,
          ZKClientConfig.ZK_SASL_CLIENT_USERNAME,
          ZKClientConfig.ZK_SASL_CLIENT_CANONICALIZE_HOSTNAME,
          ZKClientConfig.ZOOKEEPER_SERVER_REALM,
          ZKClientConfig.ZOOKEEPER_SERVER_PRINCIPAL,
          ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT);

  @AfterEach
  void clear() {
    KEYS.forEach(System::clearProperty);
    System.clearProperty(TLS_KEY);
    System.clearProperty(ZKClientConfig.SECURE_CLIENT);
  }

  @Test
  void shouldTakeTheSystemsPropertiesAsTheOriginalDoes() {
    for (String key : KEYS) {
      assertEquals(new ZKClientConfig().getProperty(key), new LookConfig().getProperty(key), key);
      System.setProperty(key, "17");
      assertEquals("17", new LookConfig().getProperty(key), key);
      assertEquals("17", new ZKClientConfig().getProperty(key), key);
    }
    System.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
    assertFalse(new LookConfig().isSaslClientEnabled());
  }

  @Test
  void shouldPrepareTlsWhereItIsSwitchedOn() {
    String protocol = "zookeeper.ssl.protocol";
    String authProvider = "zookeeper.ssl.authProvider";
    System.setProperty(TLS_KEY, "/keys");
    System.setProperty(ZKClientConfig.SECURE_CLIENT, "true");

    LookConfig config = new LookConfig();

    assertEquals("/keys", config.getProperty(TLS_KEY));
    assertEquals("true", config.getProperty(ZKClientConfig.SECURE_CLIENT));
    assertEquals(new ZKClientConfig().getProperty(protocol), config.getProperty(protocol));
    assertEquals(new ZKClientConfig().getProperty(authProvider), config.getProperty(authProvider));
  }
}
