/**
 * Hadoop's suites on VDFS through {@code trace://}: a filesystem that is traced can do what it can
 * do, and no more. Those of {@code traced.all} run in the profile {@code traced} only.
 */
package io.vdfs.it.contract.traced;
