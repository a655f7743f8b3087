/**
 * What all of the Hadoop edge speaks: failures and paths in Hadoop's terms, and what the Hadoop
 * beside us knows. Stateless. All packages of {@code client.hadoop} may use it; it uses none of
 * them.
 */
package io.vdfs.client.hadoop.terms;
