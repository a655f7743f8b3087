/**
 * Assembles the commands of {@code bin/vdfs}, each from the package of its subject, over the client
 * library; has the commands that belong to none: the root, version, completion, ZooKeeper for a
 * trial. All of them are confined to the main thread and know nothing of Hadoop.
 */
package io.vdfs.cli;
