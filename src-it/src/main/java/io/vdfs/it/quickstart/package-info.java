/**
 * The command {@code vdfs quickstart}: a cluster on this machine, two stock jobs on it, a report,
 * and nothing left. One thread runs everything; a shutdown hook ends it early. Uses only what users
 * of VDFS have too: daemons by their script, clients by the filesystem.
 *
 * <p>It is a single package with one public class, the command: subpackages would make its parts
 * public, although only the command uses them.
 */
package io.vdfs.it.quickstart;
