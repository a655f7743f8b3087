package io.vdfs.cli.diag;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;

/** Web pages of daemons. */
@FunctionalInterface
interface Pages {
  /**
   * @throws IOException if nobody answers there, or with something else than JSON
   */
  JsonNode get(URI page) throws IOException;
}
