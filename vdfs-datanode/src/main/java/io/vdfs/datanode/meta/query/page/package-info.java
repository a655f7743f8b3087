/** How long answers are cut into pages, and how the pages of a directory are written. */
package io.vdfs.datanode.meta.query.page;
