/**
 * The memory of the ledger: streams with their pinned files, pools of blocks that no task owns,
 * lists of those that one does. Others read it; only {@link
 * io.vdfs.datanode.ledger.state.StreamReplay}, in here, changes it, and {@link
 * io.vdfs.datanode.ledger.state.StreamSnapshot} writes it down for replay. Confined to the ledger's
 * owner; uses {@code common} only.
 */
package io.vdfs.datanode.ledger.state;
