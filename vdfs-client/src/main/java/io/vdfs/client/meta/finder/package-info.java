/**
 * Where nodes of a cluster are found while nothing is known of it: a hint, a seed, a list in the
 * configuration, ZooKeeper. Thread-safe; contacts only ZooKeeper, and only for one look. Of the
 * client it uses {@code meta.control}.
 */
package io.vdfs.client.meta.finder;
