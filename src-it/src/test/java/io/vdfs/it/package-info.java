/** Tests of the whole: daemons, clients and Hadoop together, with the artifacts that we ship. */
package io.vdfs.it;
