/**
 * One class per question to the metadata: each reads the state and answers. Confined to the
 * metadata loop; uses {@code meta.state} and {@code common}.
 */
package io.vdfs.datanode.meta.query;
