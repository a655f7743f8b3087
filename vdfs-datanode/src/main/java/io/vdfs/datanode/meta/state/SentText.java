package io.vdfs.datanode.meta.state;

/** Texts that a client sent, which may be long, in messages. */
public final class SentText {
  private static final int SHOWN_CHARACTERS = 200;

  private SentText() {}

  /** The part of a text that a message may show. */
  public static String shown(String text) {
    return text.length() <= SHOWN_CHARACTERS
        ? text
        : text.substring(0, SHOWN_CHARACTERS) + "... (" + text.length() + " characters)";
  }
}
