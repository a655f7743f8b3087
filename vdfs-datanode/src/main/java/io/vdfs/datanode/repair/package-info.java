/**
 * Keeps a node's copies complete: it compares what the node should hold with what it holds, works
 * off what is recorded as lacking and what it finds lacking itself, and tells the metadata when it
 * holds all of it. Confined to a service loop of its own; disk work runs on threads of repair.copy.
 * Talks to the metadata through requests only.
 */
package io.vdfs.datanode.repair;
