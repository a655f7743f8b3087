package io.vdfs.client.admin;

import io.vdfs.common.model.NodeId;

/**
 * How far a node has removed what was deleted. Immutable.
 *
 * @param missed upper bound of the deleted files that may take up room there for ever
 * @param behind whether it is so far behind that it is not waited for
 */
public record NodeDeletions(NodeId node, long missed, boolean behind) {}
