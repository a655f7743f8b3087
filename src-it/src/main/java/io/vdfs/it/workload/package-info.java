/**
 * A workload that checks itself: random operations of threads on files are compared with a model of
 * the files, while nodes are killed. Each class says which thread may use it.
 */
package io.vdfs.it.workload;
