/**
 * How a node shows others, and sees from them, that they have the key of its cluster, in the words
 * of TLS. Immutable, usable on any thread; uses {@code common.security}.
 */
package io.vdfs.datanode.security;
