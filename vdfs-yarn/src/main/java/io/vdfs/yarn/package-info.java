/**
 * Drop-ins for the NodeManager of YARN. Code here runs in other people's daemons: wherever
 * something is amiss it changes nothing and says why. Uses Hadoop only.
 *
 * <p>It is a single package, as others see only the listener that a NodeManager is configured with,
 * its keys and its bean: subpackages would make public what a NodeManager's other code must not
 * call.
 */
package io.vdfs.yarn;
