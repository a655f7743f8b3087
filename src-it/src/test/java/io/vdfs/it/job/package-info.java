/**
 * Stock MapReduce jobs on YARN that draw their input through the ledger, with and without faults.
 */
package io.vdfs.it.job;
