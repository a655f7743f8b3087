/**
 * Stock MapReduce jobs and the gates that stop their tasks where a test wants a fault to happen.
 * Gates run in task JVMs; everything else in the JVM of the test.
 */
package io.vdfs.it.jobs;
