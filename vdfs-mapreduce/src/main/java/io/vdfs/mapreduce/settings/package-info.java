/**
 * What the configuration of a job says about logical splits: the keys, the settings that they make
 * together, and the marks by which the reader of an attempt tells its committer how reading ended.
 * All packages of {@code mapreduce} may use it; it uses none of them.
 */
package io.vdfs.mapreduce.settings;
