/**
 * How nodes prove to each other, in terms of TLS, that they have the key of their cluster.
 * Immutable, usable on any thread; uses {@code common.security}.
 */
package io.vdfs.datanode.security;
