package io.vdfs.datanode.store;

import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;

/**
 * The volumes of a node whose loss an operator has accepted. Immutable.
 *
 * @param directories that become new volumes if they are empty, whatever the node had there
 * @param volumes asked where volumes are missing
 */
public record AcceptedLosses(Set<Path> directories, GivenUp volumes) {
  public static final AcceptedLosses NONE =
      new AcceptedLosses(Set.of(), (missing, patient) -> Set.of());

  /** The volumes that operators gave up. */
  @FunctionalInterface
  public interface GivenUp {
    /**
     * Those of the missing volumes that were given up: the node does not miss them any more.
     *
     * @param missing at least one
     * @param patient whether to wait a moment for what an operator has just said
     */
    Set<UUID> among(Set<UUID> missing, boolean patient);
  }

  public AcceptedLosses {
    directories = Set.copyOf(directories);
  }
}
