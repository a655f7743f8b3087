package io.vdfs.cli.diag;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Pages over HTTP, each within {@value #LIMIT_SECONDS} seconds. Thread-safe. */
final class WebPages implements Pages {
  private static final int LIMIT_SECONDS = 10;
  private static final int OK = 200;
  private static final int WHO_ARE_YOU = 401;
  private static final Duration LIMIT = Duration.ofSeconds(LIMIT_SECONDS);

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(LIMIT).build();
  private final ObjectMapper json = new ObjectMapper();

  @Override
  public JsonNode get(URI page) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(page).timeout(LIMIT).header("Accept", "application/json").build();
    HttpResponse<String> answer;
    try {
      answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while asking " + page);
    }
    if (answer.statusCode() == WHO_ARE_YOU) {
      throw new IOException(page + " wants Kerberos, which this command does not have");
    }
    if (answer.statusCode() != OK) {
      throw new IOException(page + " answers with status " + answer.statusCode());
    }
    return json.readTree(answer.body());
  }
}
