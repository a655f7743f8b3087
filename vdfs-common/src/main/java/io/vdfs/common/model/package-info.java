/**
 * Ids and descriptors that every part of VDFS speaks of. Immutable values, usable on any thread;
 * depends on nothing.
 */
package io.vdfs.common.model;
