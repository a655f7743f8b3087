/** A cluster in memory for the client's tests. */
package io.vdfs.client.fake;
