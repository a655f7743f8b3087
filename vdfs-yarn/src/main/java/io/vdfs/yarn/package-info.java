/**
 * Drop-ins for the NodeManager of YARN. Code here runs in other people's daemons: it changes
 * nothing and says why wherever something is amiss. Uses Hadoop only.
 */
package io.vdfs.yarn;
