/**
 * VDFS and YARN clusters on one machine, for tests and demonstrations: DataNodes inside this JVM or
 * as processes of their own. A cluster belongs to the thread that started it and leaves nothing
 * behind when closed.
 */
package io.vdfs.it.cluster;
