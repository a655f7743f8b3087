/**
 * Answers to questions about streams: how one stands, which there are, and whether every block was
 * processed once. Pure: reads {@code ledger.state} and changes nothing.
 */
package io.vdfs.datanode.ledger.query;
