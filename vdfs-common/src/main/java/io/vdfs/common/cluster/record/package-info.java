/**
 * The records of a cluster as values: its properties, the nodes alive, the metadata group, and a
 * snapshot of all of it; and how they are encoded. Immutable; knows no ZooKeeper.
 */
package io.vdfs.common.cluster.record;
