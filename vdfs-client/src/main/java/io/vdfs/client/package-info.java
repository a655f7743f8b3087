/**
 * One cluster as one user sees it, without Hadoop's types: names, files, ledgers, and the nodes for
 * tools. Thread-safe; combines {@code names}, {@code files} and {@code ledger} over any {@code
 * files.ContentAccess}, and gives administrators the values of {@code admin}.
 */
package io.vdfs.client;
