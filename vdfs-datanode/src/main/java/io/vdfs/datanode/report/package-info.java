/**
 * What a node tells of itself, to monitoring and to whoever asks for its space. Only reads; for any
 * thread.
 */
package io.vdfs.datanode.report;
