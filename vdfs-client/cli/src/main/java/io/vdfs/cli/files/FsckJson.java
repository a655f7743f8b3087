package io.vdfs.cli.files;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.FileCopies;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;

/** One JSON object, written as the walk goes on, so that no number of files is too large. */
final class FsckJson implements FsckOutput {
  private final PrintWriter out;
  private final JsonGenerator json;

  FsckJson(PrintWriter out) throws IOException {
    this.out = out;
    this.json = new ObjectMapper().createGenerator(out);
    json.useDefaultPrettyPrinter();
    json.writeStartObject();
    json.writeArrayFieldStart("files");
  }

  @Override
  public void file(String path, FileInfo file, FileCopies copies) throws IOException {
    json.writeStartObject();
    json.writeStringField("path", path);
    json.writeNumberField("length", file.length());
    json.writeNumberField("replication", file.replication());
    json.writeBooleanField("open", file.isUnderConstruction());
    json.writeArrayFieldStart("groups");
    for (FileCopies.Range range : copies.ranges()) {
      if (GroupHealth.of(range).isNamed()) {
        json.writeStartObject();
        json.writeStringField("state", name(GroupHealth.of(range)));
        json.writeNumberField("first", range.first());
        json.writeNumberField("end", range.end());
        json.writeNumberField("wantedCopies", range.wanted());
        json.writeNumberField("copies", range.recorded());
        json.writeNumberField("copiesOnLiveNodes", range.live());
        json.writeEndObject();
      }
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  @Override
  public void end(FsckTotals totals, long ringEpoch) throws IOException {
    json.writeEndArray();
    json.writeArrayFieldStart("notLookedAt");
    for (Map.Entry<String, String> refused : totals.refused().entrySet()) {
      json.writeStartObject();
      json.writeStringField("path", refused.getKey());
      json.writeStringField("error", refused.getValue());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeObjectFieldStart("totals");
    json.writeNumberField("directories", totals.directories());
    json.writeNumberField("files", totals.files());
    json.writeNumberField("openFiles", totals.openFiles());
    json.writeNumberField("namedFiles", totals.namedFiles());
    json.writeNumberField("bytes", totals.bytes());
    json.writeNumberField("missingCopies", totals.missingCopies());
    json.writeObjectFieldStart("groups");
    for (GroupHealth state : GroupHealth.values()) {
      json.writeNumberField(name(state), totals.groups(state));
    }
    json.writeEndObject();
    json.writeEndObject();
    json.writeNumberField("ringEpoch", ringEpoch);
    json.writeNumberField("exitCode", totals.exitCode());
    json.writeEndObject();
    json.flush();
    out.println();
  }

  private static String name(GroupHealth state) {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
