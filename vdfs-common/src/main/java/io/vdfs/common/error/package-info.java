/** The exception family of VDFS and its codes. Usable on any thread; depends on nothing. */
package io.vdfs.common.error;
