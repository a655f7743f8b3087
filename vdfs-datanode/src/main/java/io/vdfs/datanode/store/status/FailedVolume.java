package io.vdfs.datanode.store.status;

import java.nio.file.Path;

/**
 * A volume that was configured but is not served. Immutable.
 *
 * @param why in one line, with the cure
 */
public record FailedVolume(Path directory, String why) {}
