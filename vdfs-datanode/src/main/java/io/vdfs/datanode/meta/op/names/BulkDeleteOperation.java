package io.vdfs.datanode.meta.op.names;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.BulkDeleteOp;
import io.vdfs.common.wire.proto.BulkDeleteResult;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.ResolvedPath;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Deletes files and directories in one entry; each path succeeds or fails alone. The deepest go
 * first, so that a directory is empty where all in it are deleted too.
 */
final class BulkDeleteOperation implements Operation {
  private static final int MAX_PATHS = 1_000;
  private static final Comparator<String> DEEPEST_FIRST =
      Comparator.comparingLong((String path) -> path.chars().filter(c -> c == '/').count())
          .reversed();

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    BulkDeleteOp op = request.getBulkDelete();
    if (op.getPathsCount() > MAX_PATHS) {
      throw Refusals.invalid(
          "too many paths at once: paths=" + op.getPathsCount() + ", limit=" + MAX_PATHS);
    }
    BulkDeleteResult.Builder result = BulkDeleteResult.newBuilder();
    Set<Long> gone = new HashSet<>();
    Map<Long, InodeRecord> parents = new TreeMap<>();
    List<String> paths = op.getPathsList().stream().sorted(DEEPEST_FIRST).toList();
    for (String path : paths) {
      try {
        ResolvedPath resolved = deletable(path, gone, context);
        if (resolved.exists() && gone.add(resolved.inode().getId())) {
          changes.free(resolved.inode(), false);
          parents.put(resolved.parent().getId(), resolved.parent());
        }
      } catch (VdfsException e) {
        result.addFailuresBuilder().setPath(path).setError(Refusals.response(e).getError());
      }
    }
    parents.keySet().removeAll(gone);
    parents.values().forEach(changes::touch);
    return MetaResponse.newBuilder().setBulkDelete(result).build();
  }

  private static ResolvedPath deletable(String path, Set<Long> gone, MetaContext context)
      throws VdfsException {
    ResolvedPath resolved = context.resolve(path);
    resolved.requireRemoval(context.access());
    if (resolved.path().isRoot()) {
      throw Refusals.invalid("the root stays: path=" + path);
    }
    if (resolved.exists()) {
      Iterator<InodeRecord> children = context.namespace().children(resolved.inode().getId(), "");
      while (children.hasNext()) {
        if (!gone.contains(children.next().getId())) {
          throw Refusals.notEmpty(resolved.path());
        }
      }
    }
    return resolved;
  }
}
