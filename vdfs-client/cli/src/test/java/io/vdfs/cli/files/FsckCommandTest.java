package io.vdfs.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.cli.SuperuserLine;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.files.CreateOptions;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which files lack copies, as an operator asks. */
@Timeout(60)
class FsckCommandTest {
  private static final int GROUP = (int) FakeCluster.GEOMETRY.groupSize();

  private final FakeCluster cluster = new FakeCluster();
  private final FakeClient writing = new FakeClient(cluster, "x");
  private final SuperuserLine line = new SuperuserLine(cluster);

  private ContentWriter begin(String path, int groups) throws IOException {
    ContentWriter writer =
        writing.client().files().create(path, new CreateOptions(0644, 0666, true, true, 3, 4096));
    writer.write(new byte[groups * GROUP], 0, groups * GROUP);
    return writer;
  }

  private void write(String path, int groups) throws IOException {
    begin(path, groups).close();
  }

  /** A file of so many groups that recovery closed with nodes left out. */
  private void writeWithout(String path, int groups, ExclusionProto... leftOut) throws IOException {
    begin(path, groups).flush();
    FileInfo file = writing.client().names().status(path);
    BeginRecoveryOp recovery =
        BeginRecoveryOp.newBuilder()
            .setFile(WireIds.encode(file.key()))
            .setWriteEpoch(file.writeEpoch())
            .build();
    int epoch =
        writing
            .metadata()
            .call(MetaRequest.newBuilder().setBeginRecovery(recovery).build())
            .getOpenFile()
            .getStatus()
            .getWriteEpoch();
    FinishRecoveryOp end =
        FinishRecoveryOp.newBuilder()
            .setFile(WireIds.encode(file.key()))
            .setWriteEpoch(epoch)
            .setLength((long) groups * GROUP)
            .addAllExclusions(List.of(leftOut))
            .build();
    writing.metadata().call(MetaRequest.newBuilder().setFinishRecovery(end).build());
  }

  private ExclusionProto without(int node, int first, int end) {
    return ExclusionProto.newBuilder()
        .setNode(WireIds.encode(cluster.node(node)))
        .setFirstGroup(first)
        .setEndGroup(end)
        .build();
  }

  @Test
  void shouldAcceptALossWhereToldTo() throws IOException {
    assertEquals(ExitCodes.SOUND, line.run("fsck"), line::output);
    assertFalse(cluster.operations().containsKey(MetaRequest.OpCase.ACCEPT_LOSS));
    assertEquals(ExitCodes.SOUND, line.run("fsck", "--accept"), line::output);
    assertEquals(1, cluster.operations().get(MetaRequest.OpCase.ACCEPT_LOSS));
  }

  @Test
  void shouldFindASoundTreeSound() throws IOException {
    write("/d/e/f", 3);
    write("/d/empty", 0);
    ContentWriter open = begin("/d/open", 0);
    assertEquals(ExitCodes.SOUND, line.run("fsck"), line::output);
    open.close();
    assertTrue(
        line.output()
            .startsWith("looked at    3 directories, 3 files of 0.0 GB in 3 groups, by ring"),
        line.output());
    assertTrue(line.output().contains("open         1 files are being written"), line.output());
    assertTrue(line.output().contains("missing      no copy of what was looked at"), line.output());
  }

  @Test
  void shouldNameFilesThatLackCopies() throws IOException {
    write("/sound", 2);
    writeWithout("/d/f", 5, without(0, 0, 2), without(1, 4, 5));
    write("/other", 1);

    assertEquals(ExitCodes.DEGRADED, line.run("fsck"), line::output);

    assertEquals(
        List.of("/d/f: groups 0-1: 2 of 3 copies", "/d/f: group 4: 2 of 3 copies"),
        line.output().lines().limit(2).toList());
    assertFalse(line.output().contains("/sound"), line.output());
    assertTrue(
        line.output().contains("groups       3 have fewer copies than they should have"),
        line.output());
    assertTrue(
        line.output().contains("missing      3 copies; 1 files are not as they should be"),
        line.output());
    assertEquals(ExitCodes.SOUND, line.run("fsck", "/sound"), line::output);
    assertEquals(ExitCodes.DEGRADED, line.run("fsck", "/d/f"), line::output);
  }

  @Test
  void shouldFailWhereBytesCannotBeRead() throws IOException {
    writeWithout("/away", 1, without(0, 0, 1), without(1, 0, 1));
    writeWithout("/lost", 1, without(0, 0, 1), without(1, 0, 1), without(2, 0, 1));
    assertEquals(ExitCodes.FAILED, line.run("fsck", "/lost"), line::output);
    assertTrue(line.output().contains("/lost: group 0: 0 of 3 copies\n"), line.output());
    assertEquals(ExitCodes.DEGRADED, line.run("fsck", "/away"), line::output);

    cluster.fault(2, Fault.DEAD);

    assertEquals(ExitCodes.FAILED, line.run("fsck", "/away"), line::output);
    assertTrue(
        line.output()
            .contains("/away: group 0: 1 of 3 copies, none of them on a node that is alive"),
        line.output());
    write("/whole", 2);
    assertEquals(ExitCodes.DEGRADED, line.run("fsck", "/whole"), line::output);
    assertTrue(
        line.output().contains("groups       2 have a copy on a node that is not"), line.output());
  }

  @Test
  void shouldTellAllOfThatAsOneObject() throws IOException {
    writeWithout("/f", 5, without(0, 0, 2));
    writeWithout("/lost", 1, without(0, 0, 1), without(1, 0, 1), without(2, 0, 1));

    assertEquals(ExitCodes.FAILED, line.run("fsck", "--json", "/"), line::output);

    JsonNode told = new ObjectMapper().readTree(line.output());
    assertEquals(List.of("/f", "/lost"), told.path("files").findValuesAsText("path"));
    JsonNode range = told.at("/files/0/groups/0");
    assertEquals("lacking", range.path("state").asText());
    assertEquals(0, range.path("first").asInt());
    assertEquals(2, range.path("end").asInt());
    assertEquals(2, range.path("copies").asInt());
    assertEquals(3, range.path("wantedCopies").asInt());
    assertEquals(3, told.at("/totals/groups/sound").asInt());
    assertEquals(2, told.at("/totals/groups/lacking").asInt());
    assertEquals(1, told.at("/totals/groups/no_copy").asInt());
    assertEquals(5, told.at("/totals/missingCopies").asInt());
    assertEquals(1, told.path("ringEpoch").asInt());
    assertEquals(ExitCodes.FAILED, told.path("exitCode").asInt());
  }

  @Test
  void shouldSayWhatItCouldNotLookAt() throws IOException {
    cluster.user("alice");
    assertTrue(line.client().names().mkdirs("/secret/below", 0700, 0777, true));
    assertTrue(line.client().names().mkdirs("/open", 0755, 0777, true));
    cluster.user("bob");
    assertEquals(ExitCodes.FAILED, line.run("fsck"), line::output);
    assertTrue(line.output().contains("looked at    2 directories"), line.output());
    assertTrue(line.output().contains("not seen     /secret"), line.output());
    assertEquals(ExitCodes.FAILED, line.run("fsck", "/nothing"));
    assertTrue(line.output().startsWith("vdfs fsck: "), line.output());
    assertTrue(line.output().contains("/nothing"), line.output());
  }

  @Test
  void shouldGoThroughAllPagesOfADirectory() throws IOException {
    VdfsClient client = line.client();
    for (int i = 0; i < 1001; i++) {
      assertTrue(client.names().mkdirs("/d/" + i, 0755, 0777, true));
    }
    assertEquals(ExitCodes.SOUND, line.run("fsck", "/d"), line::output);
    assertTrue(line.output().contains("looked at    1002 directories, 0 files"), line.output());
  }
}
