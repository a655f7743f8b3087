/**
 * A workload that checks itself: what threads do to files at random is compared with a model of
 * them, while nodes are killed. Each class says which thread may use it.
 */
package io.vdfs.it.workload;
