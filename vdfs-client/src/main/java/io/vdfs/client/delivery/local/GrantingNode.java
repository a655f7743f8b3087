package io.vdfs.client.delivery.local;

/**
 * What a client keeps of a node on its machine.
 *
 * @param reads what was read from its files
 * @param early what it granted before it was asked for
 */
record GrantingNode(LocalReads reads, EarlyGrants early) {}
