/**
 * The command {@code vdfs quickstart}: a cluster on this machine, two stock jobs on it, a report,
 * and nothing left. One thread runs everything; a shutdown hook ends it early. Uses only what users
 * of VDFS have too: daemons by their script, clients by the filesystem.
 *
 * <p>All is one package with one public class, the command: rooms would make its parts public,
 * though nothing but the command uses them.
 */
package io.vdfs.it.quickstart;
