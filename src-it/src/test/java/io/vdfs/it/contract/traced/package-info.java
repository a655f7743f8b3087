/**
 * Hadoop's suites on VDFS through {@code trace://}: a traced filesystem can do the same as without
 * tracing, and no more. Those of {@code traced.all} run in the profile {@code traced} only.
 */
package io.vdfs.it.contract.traced;
