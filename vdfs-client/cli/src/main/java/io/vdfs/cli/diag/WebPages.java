package io.vdfs.cli.diag;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Pages over HTTP, each within a time limit. Thread-safe. */
final class WebPages implements Pages {
  private static final int OK = 200;
  private static final int WHO_ARE_YOU = 401;

  private final Duration limit;
  private final HttpClient http;
  private final ObjectMapper json = new ObjectMapper();

  /**
   * @param limit until a page is there as a whole
   */
  WebPages(Duration limit) {
    this.limit = limit;
    this.http = HttpClient.newBuilder().connectTimeout(limit).build();
  }

  @Override
  public JsonNode get(URI page) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(page).timeout(limit).header("Accept", "application/json").build();
    HttpResponse<String> answer = answer(request);
    if (answer.statusCode() == WHO_ARE_YOU) {
      throw new IOException(page + " wants Kerberos, which this command does not have");
    }
    if (answer.statusCode() != OK) {
      throw new IOException(page + " answers with status " + answer.statusCode());
    }
    try {
      return json.readTree(answer.body());
    } catch (JsonProcessingException e) {
      // its full message quotes the page, which may have secrets
      throw new IOException(page + " has no JSON: " + e.getOriginalMessage(), e);
    }
  }

  /** The limit of a request itself ends with the headers of the answer. */
  private HttpResponse<String> answer(HttpRequest request) throws IOException {
    CompletableFuture<HttpResponse<String>> answer =
        http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    try {
      return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while asking " + request.uri());
    } catch (TimeoutException e) {
      throw new IOException(
          request.uri() + " does not answer within " + limit.toMillis() + " ms", e);
    } catch (ExecutionException e) {
      throw new IOException(request.uri() + " does not answer: " + e.getCause(), e.getCause());
    } finally {
      answer.cancel(true);
    }
  }
}
