/**
 * One combined file: decides in which slot a block lies, when a footer and an index record are
 * written, and what a force made durable. Reads and verifies bytes. Guarded by the owner of the
 * file, which is {@code .group}; reads need no guard and run on the thread that asks.
 */
package io.vdfs.datanode.store.file;
