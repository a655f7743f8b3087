/**
 * The common terms of the Hadoop edge: failures and paths as Hadoop has them, and what the Hadoop
 * beside us knows. Stateless. All packages of {@code client.hadoop} may use it; it uses none of
 * them.
 */
package io.vdfs.client.hadoop.terms;
