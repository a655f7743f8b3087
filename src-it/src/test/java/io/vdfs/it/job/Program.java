package io.vdfs.it.job;

import java.util.List;

/** The stock examples that the tests run. */
enum Program {
  WORDCOUNT,
  GREP;

  private static final String NEEDLES = "NEEDLE[0-9]*";

  String exampleName() {
    return switch (this) {
      case WORDCOUNT -> "wordcount";
      case GREP -> "grep";
    };
  }

  List<String> arguments(String input, String output) {
    return switch (this) {
      case WORDCOUNT -> List.of(input, output);
      case GREP -> List.of(input, output, NEEDLES);
    };
  }
}
