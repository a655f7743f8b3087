/**
 * What deliveries are made of: files of this machine that are open, verified reading from them, and
 * the wait for a node's answer. The network gives an answer, one reader awaits it, a monitor guards
 * what both touch. Each delivery has a package below this one, which nothing else needs to know.
 */
package io.vdfs.client.delivery;
