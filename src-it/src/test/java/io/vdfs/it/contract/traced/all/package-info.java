/** The suites that run through {@code trace://} in the profile {@code traced} only. */
package io.vdfs.it.contract.traced.all;
