package io.vdfs.datanode.meta.raft.disk;

import io.vdfs.datanode.meta.group.LogDoubt;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.ratis.server.protocol.TermIndex;

/**
 * A member's note on disk of damage to its log, kept until it is certain again that its log holds
 * all that it has acknowledged. Immutable.
 *
 * @param reached newest entry that the log had for sure; it may have had more
 * @param aside where the damaged bytes are, in the member's directory; empty where they are gone
 */
public record DoubtNote(LogDoubt cause, TermIndex reached, String aside) {
  private static final Pattern TEXT =
      Pattern.compile("(TORN|EMPTIED) term=(\\d+) index=(-1|\\d+) aside=(\\S*)\n");

  /** The note of a log of which nothing is known any more. */
  static final DoubtNote GONE = new DoubtNote(LogDoubt.EMPTIED, TermIndex.INITIAL_VALUE, "");

  String text() {
    return "%s term=%d index=%d aside=%s"
        .formatted(cause, reached.getTerm(), reached.getIndex(), aside);
  }

  /** A note that can't be read is of the worse kind. */
  static DoubtNote parse(String text) {
    return read(text).orElse(GONE);
  }

  private static Optional<DoubtNote> read(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new DoubtNote(
              LogDoubt.valueOf(matcher.group(1)),
              TermIndex.valueOf(Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3))),
              matcher.group(4)));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
