package io.vdfs.datanode.membership;

import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.ring.RingMap;

/**
 * The metadata group and ring map that a cluster begins with: both come into being together, once.
 * Immutable.
 */
record Foundation(MetadataGroup group, RingMap ring) {}
