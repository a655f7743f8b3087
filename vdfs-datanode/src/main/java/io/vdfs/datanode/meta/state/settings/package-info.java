/** Bounds of the metadata, and the defaults for files. The same on all members. */
package io.vdfs.datanode.meta.state.settings;
