package io.vdfs.datanode.meta.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.ContentSummaryQuery;
import io.vdfs.common.wire.proto.ContentSummaryResult;
import io.vdfs.common.wire.proto.ListQuery;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.OpenQuery;
import io.vdfs.datanode.meta.MetadataHarness;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueriesTest {
  private final MetadataHarness meta = new MetadataHarness();

  private ListResult page(String path, String after, int limit) {
    ListQuery.Builder query =
        ListQuery.newBuilder().setPath(path).setStartAfter(after).setLimit(limit);
    return MetadataHarness.page(meta.answer(meta.request().setList(query)));
  }

  private MetaRequest.Builder open(long fileId) {
    return meta.request().setOpen(OpenQuery.newBuilder().setFileId(fileId));
  }

  private MetaRequest.Builder open(String path) {
    return meta.request().setOpen(OpenQuery.newBuilder().setPath(path));
  }

  private MetaRequest.Builder summary(String path) {
    return meta.request().setContentSummary(ContentSummaryQuery.newBuilder().setPath(path));
  }

  @Test
  void shouldListInNameOrder() {
    for (String name : List.of("b", "a", "\ud83d\ude00", "\uffff", "ab", "B")) {
      meta.file("/" + name, 1);
    }
    assertEquals(List.of("B", "a", "ab", "b", "\uffff", "\ud83d\ude00"), meta.names("/"));
  }

  @Test
  void shouldListPageByPage() {
    List<String> expected = new ArrayList<>();
    meta.mkdir("/d");
    meta.mkdir("/e/x");
    for (int i = 10; i < 35; i++) {
      meta.mkdir("/d/n" + i + "/below");
      expected.add("n" + i);
    }
    List<String> listed = new ArrayList<>();
    String after = "";
    boolean more = true;
    while (more) {
      ListResult page = page("/d", after, 7);
      page.getEntriesList().forEach(entry -> listed.add(entry.getName()));
      after = listed.get(listed.size() - 1);
      more = page.getMore();
    }
    assertEquals(expected, listed);
    assertFalse(page("/d", "", 25).getMore());
    assertTrue(page("/d", "", 24).getMore());
    assertEquals(25, page("/d", "", -1).getEntriesCount());
    assertEquals(0, page("/d", "z", 0).getEntriesCount());
  }

  @Test
  void shouldEndAPageAtAThousandEntries() {
    for (int i = 0; i < 1_001; i++) {
      meta.mkdir("/d/" + i);
    }
    assertEquals(1_000, page("/d", "", 0).getEntriesCount());
    assertEquals(1_000, page("/d", "", 5_000).getEntriesCount());
    assertTrue(page("/d", "", 0).getMore());
  }

  @Test
  void shouldListAFileAsItself() {
    meta.file("/f", 5);
    ListResult list = page("/f", "", 0);
    assertEquals(List.of(meta.status("/f")), list.getEntriesList());
    assertEquals("", list.getEntries(0).getName());
  }

  @Test
  void shouldRefuseWhatIsNotThere() {
    meta.file("/f", 5);
    meta.refuseQuery(ErrorCode.NOT_FOUND, meta.getStatus("/x"));
    meta.refuseQuery(ErrorCode.NOT_FOUND, meta.list("/x"));
    meta.refuseQuery(ErrorCode.NOT_FOUND, open("/x"));
    meta.refuseQuery(ErrorCode.NOT_FOUND, open(1 << 20));
    meta.refuseQuery(ErrorCode.NOT_FOUND, open(-1));
    meta.refuseQuery(ErrorCode.NOT_FOUND, summary("/x"));
    meta.refuseQuery(ErrorCode.NOT_A_DIRECTORY, meta.getStatus("/f/x"));
    meta.refuseQuery(ErrorCode.INVALID_ARGUMENT, meta.getStatus("f"));
    meta.refuseQuery(ErrorCode.INVALID_ARGUMENT, open(""));
  }

  @Test
  void shouldOpenByPathAndById() {
    meta.mkdir("/d");
    long file = meta.file("/d/f", 5);
    OpenFileResult opened = meta.answer(open("/d/f")).getOpenFile();
    assertEquals(file, opened.getFileId());
    meta.ok(meta.rename("/d", "/e", false));
    assertEquals(opened, meta.answer(open(file)).getOpenFile());
    meta.refuseQuery(ErrorCode.IS_A_DIRECTORY, open("/e"));
    meta.refuseQuery(ErrorCode.NOT_FOUND, open(meta.status("/e").getInodeId()));
    meta.refuseQuery(
        ErrorCode.INVALID_ARGUMENT,
        meta.request().setOpen(OpenQuery.newBuilder().setPath("/e/f").setFileId(file)));
    meta.ok(meta.delete("/e", true));
    meta.refuseQuery(ErrorCode.NOT_FOUND, open(file));
  }

  @Test
  void shouldSumATree() {
    meta.mkdir("/a/b");
    meta.mkdir("/a/c");
    meta.file("/a/f", 100);
    meta.file("/a/b/g", 11);
    meta.open("/a/b/h", 1);
    meta.mkdir("/other");
    ContentSummaryResult sum = meta.answer(summary("/a")).getContentSummary();
    assertEquals(3, sum.getDirectories());
    assertEquals(3, sum.getFiles());
    assertEquals(111, sum.getLength());
    assertEquals(333, sum.getSpaceConsumed());
    ContentSummaryResult file = meta.answer(summary("/a/f")).getContentSummary();
    assertEquals(0, file.getDirectories());
    assertEquals(1, file.getFiles());
  }

  @Test
  void shouldTellQueriesFromMutations() {
    meta.refuse(ErrorCode.INVALID_ARGUMENT, meta.getStatus("/"));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, meta.request());
    meta.refuseQuery(ErrorCode.INVALID_ARGUMENT, meta.mkdirs("/a", 0755));
    meta.refuseQuery(ErrorCode.INVALID_ARGUMENT, meta.request());
  }
}
