package io.vdfs.it.once;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * A line that shows by itself whether it is whole: number, CRC32C of the rest, random letters. The
 * letters follow from the number. Stateless.
 *
 * <pre>0000000042 9ab3c07e hgfdsalkj...</pre>
 */
final class NumberedRecord {
  private static final int MOST_LETTERS = 180;
  private static final int NUMBER_LENGTH = 10;
  private static final int SUM_LENGTH = 8;
  private static final int LETTERS_AT = NUMBER_LENGTH + SUM_LENGTH + 2;

  private NumberedRecord() {}

  static String of(long number) {
    Random random = new Random(number);
    StringBuilder letters = new StringBuilder();
    for (int left = random.nextInt(MOST_LETTERS); left > 0; left--) {
      letters.append((char) ('a' + random.nextInt(26)));
    }
    return "%010d %08x %s".formatted(number, sum(number, letters.toString()), letters);
  }

  /**
   * @return the record's number
   * @throws IOException if the line is no whole record
   */
  static long parse(String line) throws IOException {
    try {
      long number = Long.parseLong(line, 0, NUMBER_LENGTH, 10);
      long sum = Long.parseLong(line, NUMBER_LENGTH + 1, NUMBER_LENGTH + 1 + SUM_LENGTH, 16);
      if (sum == sum(number, line.substring(LETTERS_AT))) {
        return number;
      }
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new IOException("no numbered record: line=" + line, e);
    }
    throw new IOException("the record is damaged: line=" + line);
  }

  private static long sum(long number, String letters) {
    CRC32C crc = new CRC32C();
    crc.update((number + " " + letters).getBytes(UTF_8));
    return crc.getValue();
  }
}
