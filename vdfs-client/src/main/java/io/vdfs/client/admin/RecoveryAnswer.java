package io.vdfs.client.admin;

/**
 * What became of a recovery of a file's lease. Immutable.
 *
 * @param closed whether the file is closed; else recovery goes on
 * @param running whether an attempt is under way at this moment
 * @param found by the last attempt, in words
 */
public record RecoveryAnswer(boolean closed, boolean running, String found) {}
