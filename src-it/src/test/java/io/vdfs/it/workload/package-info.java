/** Tests of the workload that checks itself: it must see what a filesystem does wrong. */
package io.vdfs.it.workload;
