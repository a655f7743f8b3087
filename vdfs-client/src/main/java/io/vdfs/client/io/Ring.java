package io.vdfs.client.io;

import io.vdfs.common.shm.RingLayout;
import io.vdfs.common.shm.SlotTable;

/**
 * The segment that a node made for one of our connections. Thread-safe.
 *
 * @param slots free for requests; lives here, so that the end of the node leaves nothing locked
 */
record Ring(String path, RingLayout layout, SlotTable slots) {}
