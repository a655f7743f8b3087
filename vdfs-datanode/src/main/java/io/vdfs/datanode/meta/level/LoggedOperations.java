package io.vdfs.datanode.meta.level;

import java.util.Map;

/**
 * The feature levels. The level that each operation needs stands at its case in {@code MetaRequest}
 * or {@code LedgerRequest}, see {@link RequestCatalogue}.
 *
 * <p>From the first release on no operation, field or value changes its level or its meaning. New
 * behaviour depends on a new operation, or on a new field or enum value, in {@link #ADDITIONS};
 * either has the level after that of the release before, which becomes {@link #NEWEST}.
 *
 * <p>Until then an operation that is new gets level {@link #FIRST}, or the next one where clusters
 * of earlier builds are to be taken along, and one whose meaning is changed raises {@link #FIRST}
 * and {@link #NEWEST} by one: logs and snapshots from before are then refused.
 */
final class LoggedOperations {
  /** The level in force in a new cluster. */
  static final int FIRST = 7;

  /** The highest level that this release can carry out. */
  static final int NEWEST = 11;

  /** From which on writers' checksums of groups are recorded. */
  static final int GROUP_CHECKSUMS = 9;

  /** From which on spares do not count as holders of what a keeper lacks. */
  static final int SPARES_LACK = 10;

  /** From which on a replacement with fewer copies than its target asks for is refused. */
  static final int REPLACEMENT_COPIES = 11;

  /**
   * Levels by full name; a field or value that is not here is as old as the type that it stands in.
   */
  static final Map<String, Integer> ADDITIONS =
      Map.of(
          "vdfs.ClusterRecordProto.volumes",
          8,
          "vdfs.FinishRecoveryOp.given_up",
          8,
          "vdfs.GroupSyncProto.checksum",
          GROUP_CHECKSUMS,
          "vdfs.ReportLackingOp.spares_lack",
          SPARES_LACK,
          "vdfs.ReplaceFileOp.checks_copies",
          REPLACEMENT_COPIES);

  private LoggedOperations() {}
}
