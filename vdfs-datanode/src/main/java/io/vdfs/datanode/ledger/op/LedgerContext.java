package io.vdfs.datanode.ledger.op;

import io.vdfs.datanode.ledger.state.Caller;
import io.vdfs.datanode.ledger.state.StreamTable;

/**
 * The input that an operation decides from, besides its request.
 *
 * @param streams only read
 * @param timeMillis time of the request, the same on all replicas
 * @param bounds of streams that are created and of draws, the same on all replicas
 */
public record LedgerContext(
    StreamTable streams, Caller caller, long timeMillis, StreamBounds bounds) {}
