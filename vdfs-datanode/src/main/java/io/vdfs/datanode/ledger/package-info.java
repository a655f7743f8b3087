/**
 * The ledger of logical splits: gives every block of a job's input to exactly one task. A pure,
 * deterministic state machine: operations validate and return records, state changes only in {@link
 * io.vdfs.datanode.ledger.Ledger#replay}. Confined to the loop of the state machine that hosts it;
 * no clock, no threads, no I/O. Uses {@code common.model}, {@code common.error} and the generated
 * messages of {@code common.wire.proto} only. The rules and the argument for them stand in {@code
 * docs/exactly-once.md}.
 */
package io.vdfs.datanode.ledger;
