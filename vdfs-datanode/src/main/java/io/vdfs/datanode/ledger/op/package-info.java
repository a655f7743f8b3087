/**
 * One class for each change that the ledger may be asked for: it validates and returns the records
 * that would make the change, or refuses. Pure: reads {@code ledger.state} and {@code ledger.draw}
 * and changes nothing.
 */
package io.vdfs.datanode.ledger.op;
