package io.vdfs.datanode.meta.op.names;

import static io.vdfs.datanode.meta.MetadataHarness.ALICE;
import static io.vdfs.datanode.meta.MetadataHarness.BOB;
import static io.vdfs.datanode.meta.MetadataHarness.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.BulkDeleteOp;
import io.vdfs.common.wire.proto.BulkDeleteResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.datanode.meta.MetadataHarness;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class BulkDeleteOperationTest {
  private final MetadataHarness meta = new MetadataHarness();

  private MetaRequest.Builder request(List<String> paths) {
    return meta.request().setBulkDelete(BulkDeleteOp.newBuilder().addAllPaths(paths));
  }

  /** The paths that stay, with the reason. */
  private List<String> delete(String... paths) {
    BulkDeleteResult result = meta.ok(request(List.of(paths))).getBulkDelete();
    return result.getFailuresList().stream()
        .map(failure -> failure.getPath() + " " + failure.getError().getCode())
        .toList();
  }

  @Test
  void shouldDeleteFilesAndWhatIsEmptyThen() throws Exception {
    meta.mkdir("/d/e");
    meta.file("/d/e/f", 10);
    meta.file("/d/g", 10);
    meta.mkdir("/full");
    meta.file("/full/x", 1);

    assertEquals(
        List.of("/full DIRECTORY_NOT_EMPTY"),
        delete("/d", "/d/e", "/d/e/f", "/d/g", "/d/g", "/none", "/full"));
    assertEquals(List.of("full"), meta.names("/"));
    assertEquals(meta.saved(), meta.reloaded().saved());
  }

  @Test
  void shouldTellEachFailureAlone() {
    meta.ok(meta.mkdirs("/d", 01777));
    meta.as(ALICE).file("/d/a", 1);
    meta.as(BOB).file("/d/b", 1);
    assertEquals(
        List.of("/d/a PERMISSION_DENIED", "/d/b/c NOT_A_DIRECTORY", "x INVALID_ARGUMENT"),
        delete("/d/a", "/d/b", "x", "/d/b/c").stream().sorted().toList());
    assertEquals(List.of("a"), meta.as(ROOT).names("/d"));
    assertEquals(List.of("/ INVALID_ARGUMENT"), delete("/"));
  }

  @Test
  void shouldRefuseTooManyPaths() {
    meta.refuse(ErrorCode.INVALID_ARGUMENT, request(Collections.nCopies(1001, "/x")));
    assertTrue(delete().isEmpty());
  }
}
