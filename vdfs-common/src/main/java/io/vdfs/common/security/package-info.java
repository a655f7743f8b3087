/**
 * The means by which the nodes of one cluster know each other: the cluster key, the file that holds
 * it, and proofs made with it; and how a daemon keeps files to itself. Nothing here ever shows the
 * key itself, in messages or {@code toString}. Immutable values, usable on any thread; uses {@code
 * common.error}, {@code common.model} and {@code common.wire}.
 */
package io.vdfs.common.security;
