/**
 * Decides what a task gets when it asks for its next run, and whether it gets any: preferences of
 * its node, sizes, which pool is stolen from, when it yields. Pure: reads {@code ledger.state} and
 * changes nothing.
 */
package io.vdfs.datanode.ledger.draw;
