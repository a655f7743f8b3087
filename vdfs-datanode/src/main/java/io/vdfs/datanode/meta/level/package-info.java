/** Feature levels: what may stand in a log that members of several releases read. */
package io.vdfs.datanode.meta.level;
