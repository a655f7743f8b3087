package io.vdfs.cli.diag;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;

/** Web pages of daemons. */
@FunctionalInterface
interface Pages {
  /**
   * @throws IOException if there is no answer, or one that is not JSON
   */
  JsonNode get(URI page) throws IOException;
}
