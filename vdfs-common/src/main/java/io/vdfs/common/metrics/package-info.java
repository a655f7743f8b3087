/** Counters that any thread may raise and any reader may look at. Depends on nothing. */
package io.vdfs.common.metrics;
