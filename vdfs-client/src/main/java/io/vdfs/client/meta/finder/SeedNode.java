package io.vdfs.client.meta.finder;

import io.vdfs.client.meta.control.ControlAddress;
import java.util.List;

/** A cluster known by one of its nodes, as in {@code vdfs://host:port/}. Immutable. */
public record SeedNode(ControlAddress address) implements NodeFinder {
  @Override
  public List<ControlAddress> find() {
    return List.of(address);
  }

  @Override
  public String describe() {
    return "node " + address;
  }
}
