package io.vdfs.common.config;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads typed values out of the properties of one source. Immutable. */
public final class SettingsReader {
  private final Map<String, String> properties;
  private final String source;

  /**
   * @param properties key to text
   * @param source where they come from, for messages: a file name
   */
  public SettingsReader(Map<String, String> properties, String source) {
    this.properties = new TreeMap<>(properties);
    this.source = source;
  }

  /**
   * @return the value of {@code setting}, or its default
   * @throws VdfsException MISCONFIGURED if the text is no value; names key, text and cure
   */
  public <T> T get(Setting<T> setting) throws VdfsException {
    return setting.parse(properties.getOrDefault(setting.key(), setting.defaultText()), source);
  }

  /**
   * Refuses unknown keys, because a misspelt key would silently mean its default.
   *
   * @param prefix only keys that start so are looked at
   * @throws VdfsException MISCONFIGURED naming the first unknown key and the nearest known one
   */
  public void requireKnown(String prefix, Collection<Setting<?>> known) throws VdfsException {
    Set<String> names = new TreeSet<>();
    known.forEach(setting -> names.add(setting.key()));
    for (String key : properties.keySet()) {
      if (key.startsWith(prefix) && !names.contains(key)) {
        throw new VdfsException(
            ErrorCode.MISCONFIGURED,
            "unknown property %s in %s; did you mean %s?"
                .formatted(key, source, NearestName.of(key, names)));
      }
    }
  }
}
