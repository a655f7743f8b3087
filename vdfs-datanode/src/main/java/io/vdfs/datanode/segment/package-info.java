/**
 * Segment delivery: segments of shared memory in which this node lays bytes for processes on its
 * machine, one per connection, gone with it. Called by the data plane, which tells the readers what
 * lies where; knows neither the network nor the block store. Uses {@code common.segment}.
 */
package io.vdfs.datanode.segment;
