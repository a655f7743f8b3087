/**
 * The ledgers of logical splits as a job's client and its tasks ask them, in the messages of the
 * ledger. Thread-safe; asks the node on this machine for runs, and the leader where that does not
 * answer. Of the client it uses {@code place} and {@code meta}.
 */
package io.vdfs.client.ledger;
