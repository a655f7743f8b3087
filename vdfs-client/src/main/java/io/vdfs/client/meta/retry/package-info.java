/**
 * How long and how often a call is tried, why its tries failed, and which failures no other try
 * could cure. Knows neither nodes nor what is called. Policies and clocks are immutable or
 * thread-safe; what counts the tries of one call is confined to its thread. Uses no other package
 * of the client.
 */
package io.vdfs.client.meta.retry;
