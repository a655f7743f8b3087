/**
 * What the leader's duties ask of the rest of the daemon, and what they are told by it: requests to
 * the metadata, questions to the nodes that hold a file, news of leadership. Interfaces only, for
 * those who carry this out.
 */
package io.vdfs.datanode.meta.service.edge;
