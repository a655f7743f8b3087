/**
 * A node's reports of itself, to monitoring, to clients that ask for its space, and of its volumes
 * to the metadata. Only reads what it reports; for any thread, but for the {@link VolumeReporter}.
 */
package io.vdfs.datanode.report;
