/**
 * Values in which a store reports on itself: room and garbage of its volumes, those that failed,
 * what it holds, and its counters.
 */
package io.vdfs.datanode.store.status;
