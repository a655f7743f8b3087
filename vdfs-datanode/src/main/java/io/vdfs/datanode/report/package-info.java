/**
 * A node's reports of itself, to monitoring and to clients that ask for its space. Only reads; for
 * any thread.
 */
package io.vdfs.datanode.report;
