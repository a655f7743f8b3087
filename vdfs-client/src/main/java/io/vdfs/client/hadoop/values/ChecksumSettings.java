package io.vdfs.client.hadoop.values;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;

/**
 * How file checksums are combined, by HDFS's own keys, so that both filesystems agree. Immutable.
 *
 * @param composite one CRC of the whole file; else the MD5 of the blocks' MD5s of chunks' CRCs
 * @param chunkBytes covered by one CRC in the latter
 */
public record ChecksumSettings(boolean composite, int chunkBytes) {
  static final String COMBINE_MODE = "dfs.checksum.combine.mode";
  static final String CHUNK_BYTES = "dfs.bytes-per-checksum";

  private static final int DEFAULT_CHUNK = 512;
  private static final int MAX_CHUNK = 1 << 20;

  /**
   * What the configuration says, else what HDFS does by default.
   *
   * @throws VdfsException MISCONFIGURED naming key and value
   */
  public static ChecksumSettings read(Configuration configuration) throws VdfsException {
    String mode = configuration.getTrimmed(COMBINE_MODE, "MD5MD5CRC").toUpperCase(Locale.ROOT);
    int chunk = configuration.getInt(CHUNK_BYTES, DEFAULT_CHUNK);
    if (chunk < 1 || chunk > MAX_CHUNK) {
      throw malformed(CHUNK_BYTES + "=" + chunk + "; give 1 to " + MAX_CHUNK + ", as HDFS has it");
    }
    return switch (mode) {
      case "MD5MD5CRC" -> new ChecksumSettings(false, chunk);
      case "COMPOSITE_CRC" -> new ChecksumSettings(true, chunk);
      default -> throw malformed(COMBINE_MODE + "=" + mode + "; give MD5MD5CRC or COMPOSITE_CRC");
    };
  }

  private static VdfsException malformed(String setting) {
    return new VdfsException(ErrorCode.MISCONFIGURED, "malformed setting: " + setting);
  }
}
