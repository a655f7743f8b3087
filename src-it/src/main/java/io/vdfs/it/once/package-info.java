/**
 * Numbered, checksummed records, a job that writes which attempt processed which of them, and a
 * verifier that counts what is missing or doubled. The job runs in task JVMs; everything else in
 * the JVM of the test.
 */
package io.vdfs.it.once;
