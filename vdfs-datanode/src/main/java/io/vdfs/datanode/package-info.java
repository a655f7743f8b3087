/**
 * The composition root of the daemon: reads settings, opens the parts in order, wires them, and
 * closes them in reverse. The only package that knows all others; no package imports it.
 */
package io.vdfs.datanode;
