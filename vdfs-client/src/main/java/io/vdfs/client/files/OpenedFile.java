package io.vdfs.client.files;

import io.vdfs.client.names.FileInfo;

/**
 * A file opened for reading.
 *
 * @param info as it was at the opening
 * @param reader owned by the receiver
 */
public record OpenedFile(FileInfo info, ContentReader reader) {}
