/**
 * What is on record of a cluster, as values: its properties, the nodes alive, the metadata group,
 * all of it at one moment; and how they are encoded. Immutable; knows no ZooKeeper.
 */
package io.vdfs.common.cluster.record;
