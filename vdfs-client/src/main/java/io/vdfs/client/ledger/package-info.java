/**
 * The ledgers of logical splits as a job's client, its tasks and commands ask them. Questions and
 * answers are types of this package, which {@code LedgerMessages} turns into the ledger's messages
 * and back. Thread-safe; asks the node on this machine for runs, and the leader where that does not
 * answer. Of the client it uses {@code place} and {@code meta}.
 */
package io.vdfs.client.ledger;
