package io.vdfs.it.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Writes properties in Hadoop's format. Stateless. */
public final class SiteXml {
  private SiteXml() {}

  /** Writes {@code properties} to {@code file}, in order of keys. */
  public static void write(Path file, Map<String, String> properties) throws IOException {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    properties.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            property ->
                xml.append("  <property><name>")
                    .append(escape(property.getKey()))
                    .append("</name><value>")
                    .append(escape(property.getValue()))
                    .append("</value></property>\n"));
    Files.writeString(file, xml.append("</configuration>\n"));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
