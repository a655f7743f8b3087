/**
 * Finds the VDFS that the files of a job are in, behind what stands before it: mount points,
 * traces, filters. All packages of {@code mapreduce} may use it; it uses none of them.
 */
package io.vdfs.mapreduce.files;
