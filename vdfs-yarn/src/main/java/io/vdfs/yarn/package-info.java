/**
 * Drop-ins for the NodeManager of YARN. Code here runs in other people's daemons: it changes
 * nothing and says why wherever something is amiss. Uses Hadoop only.
 *
 * <p>All is one package, as others see only the listener that a NodeManager is configured with, its
 * keys and its bean: rooms would make public what a NodeManager's other code must not call.
 */
package io.vdfs.yarn;
