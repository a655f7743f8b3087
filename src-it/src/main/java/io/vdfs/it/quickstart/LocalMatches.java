package io.vdfs.it.quickstart;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The matches that grep must find, counted without VDFS and without Hadoop. Stateless. */
final class LocalMatches {
  private LocalMatches() {}

  /** Counts over the local files, line by line and as often as each was loaded. */
  static TopCounts count(List<Input> inputs, String pattern) throws IOException {
    Pattern compiled = Pattern.compile(pattern);
    Map<String, Long> counts = new HashMap<>();
    for (Input input : inputs) {
      // if the text ends with a line break, each copy of it has the same lines
      boolean alike = input.copies() == 1 || endsWithALine(input);
      long weight = alike ? input.copies() : 1;
      try (BufferedReader lines = reader(input, alike ? 1 : input.copies())) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          Matcher matcher = compiled.matcher(line);
          while (matcher.find()) {
            counts.merge(matcher.group(), weight, Long::sum);
          }
        }
      }
    }
    return TopCounts.of(counts);
  }

  private static BufferedReader reader(Input input, long copies) throws IOException {
    List<InputStream> streams = new ArrayList<>();
    for (long copy = 0; copy < copies; copy++) {
      streams.add(Files.newInputStream(input.file()));
    }
    return new BufferedReader(
        new InputStreamReader(
            new SequenceInputStream(Collections.enumeration(streams)), StandardCharsets.UTF_8));
  }

  private static boolean endsWithALine(Input input) throws IOException {
    try (InputStream in = Files.newInputStream(input.file())) {
      in.skipNBytes(Math.max(0, input.length() - 1));
      return in.read() == '\n';
    }
  }
}
