/**
 * On-disk layout of combined files: the blocks of one user file on one node, volume and role, each
 * with its own footer of checksums. One class per format; offsets are written down nowhere else.
 * Immutable values, usable on any thread; uses {@code common.error} and {@code common.model}.
 */
package io.vdfs.common.store;
