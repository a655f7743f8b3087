/**
 * Hadoop's own contract suites on a cluster of three nodes. The options in {@code
 * contract/vdfs.xml} are those of HDFS or stricter.
 */
package io.vdfs.it.contract;
