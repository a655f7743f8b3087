/**
 * One class for each change that the ledger may be asked for, as for the metadata: it validates and
 * decides on the records that would make the change, or refuses. Pure: reads {@code ledger.state}
 * and {@code ledger.draw} and changes nothing. {@link io.vdfs.datanode.ledger.op.LedgerOperations}
 * lists them all.
 */
package io.vdfs.datanode.ledger.op;
