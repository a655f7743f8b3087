/**
 * The one thread that a service of the daemon is confined to, with its clock and timers. Knows no
 * service.
 */
package io.vdfs.datanode.loop;
