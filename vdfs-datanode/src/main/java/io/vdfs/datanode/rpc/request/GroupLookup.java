package io.vdfs.datanode.rpc.request;

import java.util.List;

/** Finds the groups of users, on this machine's terms. Thread-safe; may wait for the system. */
@FunctionalInterface
public interface GroupLookup {
  /** Empty for a user who is in no group or not known. */
  List<String> groupsOf(String user);
}
