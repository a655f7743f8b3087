/**
 * The bytes of files as DataNodes hold them: opens what {@code read} and {@code write} do under the
 * contracts of {@code files}, and tells both of what the metadata service knows. Thread-safe;
 * connections are made at the first opening. Of the client it uses these three, {@code names},
 * {@code place}, {@code meta} and {@code io}.
 */
package io.vdfs.client.dataplane;
