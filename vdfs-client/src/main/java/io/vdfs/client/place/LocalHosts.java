package io.vdfs.client.place;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The names and addresses of this machine, found out once. Thread-safe. */
public final class LocalHosts {
  private static final Logger LOG = LoggerFactory.getLogger(LocalHosts.class);

  private LocalHosts() {}

  /** Found out at the first use, as looking up names may take long. */
  private static final class Found {
    static final Set<String> NAMES = find();
  }

  public static Set<String> names() {
    return Found.NAMES;
  }

  private static Set<String> find() {
    Set<String> names = new HashSet<>();
    names.add("localhost");
    try {
      InetAddress self = InetAddress.getLocalHost();
      names.add(self.getHostName());
      names.add(self.getCanonicalHostName());
    } catch (UnknownHostException e) {
      LOG.debug("this machine's own name doesn't resolve; its addresses have to do", e);
    }
    try {
      NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .map(InetAddress::getHostAddress)
          .forEach(names::add);
    } catch (SocketException e) {
      LOG.debug("no list of network interfaces; names have to do", e);
    }
    return Set.copyOf(names);
  }
}
