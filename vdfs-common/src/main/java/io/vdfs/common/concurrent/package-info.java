/** Small tools for threads and futures. */
package io.vdfs.common.concurrent;
