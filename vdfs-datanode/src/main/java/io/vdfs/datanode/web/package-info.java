/**
 * What a node shows of itself to monitoring: Prometheus text over HTTP, and JMX. Reads counters
 * only, each request on the server's own thread. Uses {@code common.metrics}.
 */
package io.vdfs.datanode.web;
