/**
 * Where nodes of a cluster are found of which nothing is known yet: a hint, a seed, a list in the
 * configuration, ZooKeeper. Thread-safe; contacts nobody but ZooKeeper, and that for one look only.
 * Of the client it uses {@code meta.control}.
 */
package io.vdfs.client.meta.finder;
