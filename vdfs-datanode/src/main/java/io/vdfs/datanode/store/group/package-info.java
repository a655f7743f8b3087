/**
 * Operations on the groups of a file on this node: decides which writers may write, what a writer,
 * a fence, a cut or a copy changes, and when it is forced. All of a file's state is changed in
 * steps of its {@code FileGuard}, on the thread that asks.
 */
package io.vdfs.datanode.store.group;
