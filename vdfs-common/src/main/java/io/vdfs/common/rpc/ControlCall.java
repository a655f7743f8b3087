package io.vdfs.common.rpc;

import org.apache.hadoop.security.UserGroupInformation;

/**
 * A call as it reached the server.
 *
 * @param user the caller, as authenticated by the connection
 * @param clientAddress of the connection, for messages
 * @param body of at most {@link ControlMethods#MAX_BODY_BYTES}; owned by the receiver
 */
@SuppressWarnings("ArrayRecordComponent") // bytes on their way, never compared
public record ControlCall(UserGroupInformation user, String clientAddress, byte[] body) {}
