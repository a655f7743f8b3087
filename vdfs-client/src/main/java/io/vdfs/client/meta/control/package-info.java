/**
 * Calls to the control port of one node, each made once; the transport is given from outside.
 * Thread-safe. Uses no other package of the client.
 */
package io.vdfs.client.meta.control;
