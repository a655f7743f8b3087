package io.vdfs.common.cluster;

import java.util.Properties;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * The settings of ZooKeeper's client as it takes them from the system's properties. Its own way of
 * collecting them initialises TLS in any case, certificates of all authorities included; this one
 * does so only where TLS is switched on.
 */
final class LookConfig extends ZKClientConfig {
  private static final String OWN_PREFIX = "zookeeper.";

  @Override
  protected void handleBackwardCompatibility() {
    Properties properties = System.getProperties();
    if (Boolean.parseBoolean(properties.getProperty(SECURE_CLIENT))) {
      super.handleBackwardCompatibility();
      return;
    }
    for (String name : properties.stringPropertyNames()) {
      if (name.startsWith(OWN_PREFIX) || name.equals(JUTE_MAXBUFFER) || name.equals(JGSS_NATIVE)) {
        setProperty(name, properties.getProperty(name));
      }
    }
  }
}
