package io.vdfs.client.admin;

/**
 * The outcome of recovering a file's lease. Immutable.
 *
 * @param closed whether the file is closed; else recovery goes on
 * @param running whether an attempt is under way at this moment
 * @param found what the last attempt found, in words
 */
public record RecoveryAnswer(boolean closed, boolean running, String found) {}
