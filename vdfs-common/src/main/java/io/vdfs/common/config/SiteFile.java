package io.vdfs.common.config;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/**
 * Reads a Hadoop style XML file: {@code <configuration>} with {@code <property>} elements of {@code
 * <name>} and {@code <value>}. No external entities are followed. Stateless.
 */
public final class SiteFile {
  private SiteFile() {}

  /**
   * @return the properties by name; the last one wins where a name stands twice
   * @throws VdfsException MISCONFIGURED if the file is missing or no such XML
   */
  public static Map<String, String> read(Path file) throws VdfsException {
    try (InputStream in = Files.newInputStream(file)) {
      Element root = builder().parse(in).getDocumentElement();
      if (!root.getTagName().equals("configuration")) {
        throw malformed(file, "the root element is <" + root.getTagName() + ">", null);
      }
      return properties(root, file);
    } catch (NoSuchFileException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("no configuration file %s; copy conf/vdfs-site.xml there, or name its directory"
                  + " with --conf")
              .formatted(file),
          e);
    } catch (SAXException | ParserConfigurationException e) {
      throw malformed(file, e.getMessage(), e);
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw new VdfsException(ErrorCode.MISCONFIGURED, "cannot read " + file + ": " + e, e);
    }
  }

  private static DocumentBuilder builder() throws ParserConfigurationException {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    DocumentBuilder builder = factory.newDocumentBuilder();
    builder.setErrorHandler(new Strict());
    return builder;
  }

  private static Map<String, String> properties(Element root, Path file) throws VdfsException {
    Map<String, String> properties = new TreeMap<>();
    NodeList children = root.getChildNodes();
    for (int i = 0; i < children.getLength(); i++) {
      if (children.item(i) instanceof Element element) {
        if (!element.getTagName().equals("property")) {
          throw malformed(
              file, "<" + element.getTagName() + "> where <property> is expected", null);
        }
        properties.put(child(element, "name", file), child(element, "value", file));
      }
    }
    return properties;
  }

  private static String child(Element property, String tag, Path file) throws VdfsException {
    for (Node node = property.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && element.getTagName().equals(tag)) {
        return element.getTextContent().trim();
      }
    }
    throw malformed(
        file, "a <property> has no <" + tag + ">: " + property.getTextContent().strip(), null);
  }

  private static VdfsException malformed(Path file, String what, Throwable cause) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED, file + " is not a VDFS configuration file: " + what, cause);
  }

  /** Keeps the parser from printing to standard error. */
  private static final class Strict implements ErrorHandler {
    @Override
    public void warning(SAXParseException e) {
      // nothing of the document is lost by a warning
    }

    @Override
    public void error(SAXParseException e) throws SAXException {
      throw e;
    }

    @Override
    public void fatalError(SAXParseException e) throws SAXException {
      throw e;
    }
  }
}
