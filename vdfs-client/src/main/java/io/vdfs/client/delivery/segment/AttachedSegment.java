package io.vdfs.client.delivery.segment;

import io.vdfs.common.segment.SegmentLayout;
import io.vdfs.common.segment.SlotTable;

/**
 * The segment that a node made for one of our connections. Thread-safe.
 *
 * @param slots free for requests; lives here, so that the end of the node leaves nothing locked
 */
record AttachedSegment(String path, SegmentLayout layout, SlotTable slots) {}
