/**
 * The calls of the leader's duties to the rest of the daemon, and the news that they get from it:
 * requests to the metadata, questions to the nodes that hold a file, news of leadership. Interfaces
 * only; the rest of the daemon implements them.
 */
package io.vdfs.datanode.meta.service.edge;
