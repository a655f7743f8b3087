/** Attacks on a running cluster, each of which must leave it whole. */
package io.vdfs.it.attack;
