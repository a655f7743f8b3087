/**
 * Everything that is looked up or changed by path: what the metadata service says about inodes, in
 * types of the client, and the changes it is asked for. Thread-safe; asks through {@code meta} and
 * knows no file's bytes. Of the client it uses {@code admin}, {@code meta} and {@code io}.
 */
package io.vdfs.client.names;
