/** Tests of the whole: daemons, clients and Hadoop together, through what we ship. */
package io.vdfs.it;
