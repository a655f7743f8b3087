/**
 * Operations on the attributes of inodes: owner, mode and times, ACLs, extended attributes, quotas.
 * Confined to the metadata loop.
 */
package io.vdfs.datanode.meta.op.attributes;
