/**
 * One cluster as one user sees it, without Hadoop's types: names, files, ledgers, and the nodes for
 * tools. Thread-safe; puts {@code names}, {@code files} and {@code ledger} together, over any
 * {@code files.ContentAccess}, and tells administrators what stands in {@code admin}.
 */
package io.vdfs.client;
