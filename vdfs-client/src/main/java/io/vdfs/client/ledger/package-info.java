/**
 * The ledgers of logical splits as a job's client and its tasks ask them. Questions and answers of
 * jobs are types of this package, which {@code LedgerMessages} turns into the ledger's messages and
 * back; only what commands show of streams, their status and the list of them, is still given as
 * messages. Thread-safe; asks the node on this machine for runs, and the leader where that does not
 * answer. Of the client it uses {@code place} and {@code meta}.
 */
package io.vdfs.client.ledger;
