/**
 * One class per mutation of the metadata: each validates a request against the state and decides on
 * records and a response, and changes nothing itself. Confined to the metadata loop; uses {@code
 * meta.state} and {@code common}.
 */
package io.vdfs.datanode.meta.op;
