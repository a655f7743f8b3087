/**
 * Finds the VDFS that the files of a job are in, behind mount points, traces and filters. All
 * packages of {@code mapreduce} may use it; it uses none of them.
 */
package io.vdfs.mapreduce.files;
