package io.vdfs.common.concurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class CausesTest {
  private final VdfsException known = new VdfsException(ErrorCode.NOT_FOUND, "nothing there");

  @Test
  void shouldUnwrapHoweverOftenItWasWrapped() {
    Throwable wrapped = new ExecutionException(new CompletionException(known));
    assertSame(known, Causes.of(wrapped));
    assertSame(known, Causes.asVdfs(wrapped));
  }

  @Test
  void shouldKeepAWrapperThatHoldsNothing() {
    CompletionException empty = new CompletionException("broken", null);
    assertSame(empty, Causes.of(empty));
  }

  @Test
  void shouldNameAnUnforeseenFailure() {
    Error lack = new OutOfMemoryError("heap");
    VdfsException told = Causes.asVdfs(new CompletionException(lack));
    assertEquals(ErrorCode.INTERNAL, told.code());
    assertSame(lack, told.getCause());
    assertEquals("unexpected failure: java.lang.OutOfMemoryError: heap", told.getMessage());
  }
}
