/** What bounds the metadata, and what files get where nobody asks. The same on all members. */
package io.vdfs.datanode.meta.state.settings;
