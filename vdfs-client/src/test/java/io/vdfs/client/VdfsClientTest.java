package io.vdfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.StatusProto;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VdfsClientTest {
  private final FakeClient fake = new FakeClient(new FakeCluster(), "elsewhere");

  /** A client whose listings come from a node that claims to lead. */
  private VdfsClient listing(String name) {
    ListResult page =
        ListResult.newBuilder().addEntries(StatusProto.newBuilder().setName(name)).build();
    MetadataCalls rogue = request -> MetaResponse.newBuilder().setList(page.toByteString()).build();
    return new VdfsClient(rogue, fake.view(), fake.content(), null, null, null, () -> {});
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", ".", "../../etc/passwd", "/etc/passwd", "a/b"})
  void shouldRefuseAListingThatLeadsElsewhere(String name) {
    VdfsException e =
        assertThrows(VdfsException.class, () -> listing(name).names().list("/d", "", 10));
    assertEquals(ErrorCode.INTERNAL, e.code());
    assertTrue(e.getMessage().contains("name=" + name), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"...", "..a", "", "a b"})
  void shouldTakeWhateverIsAName(String name) throws Exception {
    assertEquals(name, listing(name).names().list("/d", "", 10).entries().get(0).name());
  }
}
