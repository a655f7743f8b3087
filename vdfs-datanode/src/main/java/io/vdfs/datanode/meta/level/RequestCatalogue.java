package io.vdfs.datanode.meta.level;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.OperationProtos;
import io.vdfs.common.wire.proto.RequestKind;
import io.vdfs.common.wire.proto.RequestTraits;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The traits that the cases of {@link MetaRequest} and {@link LedgerRequest} declare. Stateless.
 */
public final class RequestCatalogue {
  private static final Map<MetaRequest.OpCase, RequestTraits> METADATA =
      new EnumMap<>(MetaRequest.OpCase.class);
  private static final Map<LedgerRequest.OpCase, RequestTraits> LEDGER =
      new EnumMap<>(LedgerRequest.OpCase.class);

  static {
    for (FieldDescriptor operation : cases(MetaRequest.getDescriptor())) {
      METADATA.put(MetaRequest.OpCase.forNumber(operation.getNumber()), traits(operation));
    }
    for (FieldDescriptor operation : cases(LedgerRequest.getDescriptor())) {
      LEDGER.put(LedgerRequest.OpCase.forNumber(operation.getNumber()), traits(operation));
    }
  }

  private RequestCatalogue() {}

  /**
   * The kind of a request, which decides how it is handled; {@code NO_REQUEST} for one that this
   * release doesn't know.
   */
  public static RequestKind kind(MetaRequest request) {
    return metadata(request).getKind();
  }

  /** Whether only daemons make this request. */
  public static boolean isByNodes(MetaRequest request) {
    return metadata(request).getByNodes() || ledger(request).getByNodes();
  }

  private static RequestTraits metadata(MetaRequest request) {
    return METADATA.getOrDefault(request.getOpCase(), RequestTraits.getDefaultInstance());
  }

  /** The traits of a ledger request; empty for any other request. */
  private static RequestTraits ledger(MetaRequest request) {
    return LEDGER.getOrDefault(request.getLedger().getOpCase(), RequestTraits.getDefaultInstance());
  }

  /** Level of each case that may stand in a log. */
  static Map<FieldDescriptor, Integer> levels() {
    Map<FieldDescriptor, Integer> levels = new LinkedHashMap<>();
    for (Descriptor type : List.of(MetaRequest.getDescriptor(), LedgerRequest.getDescriptor())) {
      for (FieldDescriptor operation : cases(type)) {
        if (traits(operation).getLevel() > 0) {
          levels.put(operation, traits(operation).getLevel());
        }
      }
    }
    return levels;
  }

  private static List<FieldDescriptor> cases(Descriptor type) {
    return type.getOneofs().get(0).getFields();
  }

  static RequestTraits traits(FieldDescriptor operation) {
    return operation.getOptions().getExtension(OperationProtos.request);
  }
}
