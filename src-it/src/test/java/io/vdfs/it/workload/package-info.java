/** Tests of the workload that checks itself: it must notice what a filesystem does wrong. */
package io.vdfs.it.workload;
