/**
 * Finds the operation for a mutation of the metadata. There is one class per mutation, in the
 * subpackage of its subject and in that subpackage's catalogue: each validates a request against
 * the state and decides on records and a response, and changes nothing itself. Confined to the
 * metadata loop; uses {@code meta.state} and {@code common}.
 */
package io.vdfs.datanode.meta.op;
