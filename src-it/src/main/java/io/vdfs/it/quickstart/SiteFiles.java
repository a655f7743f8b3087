package io.vdfs.it.quickstart;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** Writes properties as Hadoop reads them. Stateless. */
final class SiteFiles {
  private SiteFiles() {}

  static void write(Path file, Map<String, String> properties) throws IOException {
    Configuration site = new Configuration(false);
    properties.forEach(site::set);
    try (Writer out = Files.newBufferedWriter(file)) {
      site.writeXml(out);
    }
  }
}
