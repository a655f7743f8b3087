/**
 * The rules that both ends of a segment must agree on: its layout, and which end may touch which
 * slot. Pure; any thread may call. Knows neither files nor the network.
 */
package io.vdfs.common.segment;
