/**
 * How the readers and writers of a disk take turns. Thread-safe; knows times and counters, neither
 * files nor disks.
 */
package io.vdfs.datanode.store.turns;
