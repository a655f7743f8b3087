/** Access rights: owners, modes and ACLs of inodes, and the rights of the caller. Pure. */
package io.vdfs.datanode.meta.state.access;
