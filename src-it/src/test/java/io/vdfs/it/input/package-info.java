/**
 * Tasks with logical splits read what tasks with static splits read, whatever the format and the
 * shape of the input. Jobs run in the JVM of the test.
 */
package io.vdfs.it.input;
