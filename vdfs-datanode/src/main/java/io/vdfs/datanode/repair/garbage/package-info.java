/**
 * Discards what this node holds and nobody needs: files that are deleted, and those of which others
 * keep all copies. Confined to the loop of repair.
 */
package io.vdfs.datanode.repair.garbage;
