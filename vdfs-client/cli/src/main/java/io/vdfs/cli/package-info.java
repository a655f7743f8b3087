/**
 * Puts the commands of {@code bin/vdfs} together, each from the room of its subject, over the
 * client library; has those that belong to none: the root, version, completion, ZooKeeper for a
 * trial. All of them are confined to the main thread and know nothing of Hadoop.
 */
package io.vdfs.cli;
