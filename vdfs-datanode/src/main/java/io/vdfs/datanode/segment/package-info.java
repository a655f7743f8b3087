/**
 * Segment delivery: segments of shared memory in which this node lays bytes for processes on its
 * machine, one per connection and gone with it; and the answers that tell the readers what lies
 * where. An answer is confined to its connection's event loop; work that blocks runs on threads for
 * readers' work. Begun by {@code transfer.server}, which it does not know; uses what streams are
 * made of ({@code transfer}), the order of reads and {@code common.segment}.
 */
package io.vdfs.datanode.segment;
