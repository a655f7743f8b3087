/**
 * Shows a node's counters to monitoring: as Prometheus text over HTTP, and by JMX. Reads counters
 * only, each request on the server's own thread. Uses {@code common.metrics}.
 */
package io.vdfs.datanode.web;
