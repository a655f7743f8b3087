/**
 * The metadata group as the rest of the daemon sees it: a member and its settings, what it tells of
 * its group, what it asks of the others. Knows no Ratis.
 */
package io.vdfs.datanode.meta.group;
