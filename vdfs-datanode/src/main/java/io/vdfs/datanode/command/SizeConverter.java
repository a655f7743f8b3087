package io.vdfs.datanode.command;

import io.vdfs.common.config.Parsers;
import picocli.CommandLine.ITypeConverter;

/** Sizes as in settings: {@code 4096}, {@code 64k}, {@code 8m}, {@code 1g}. */
public final class SizeConverter implements ITypeConverter<Long> {
  /**
   * @throws IllegalArgumentException that says what a size looks like
   */
  @Override
  public Long convert(String text) {
    return Parsers.size(text.strip());
  }
}
