/**
 * Calls to the control port of one node, each made once: what carries them out is given from
 * outside. Thread-safe. Uses no other package of the client.
 */
package io.vdfs.client.meta.control;
