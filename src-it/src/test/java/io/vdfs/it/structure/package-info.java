/** Tests of the code's own structure. */
package io.vdfs.it.structure;
