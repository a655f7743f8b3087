/**
 * Checksums of the chunks of a file: how they are computed, compared, put together and written. All
 * of it is immutable or stateless, for any thread.
 */
package io.vdfs.common.checksum;
