package io.vdfs.datanode.planted;

import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.ListHoldingsResult;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * Ways to spoil a method, as code that is woven into it. Parameters are assigned because that is
 * how woven code changes what the method takes, holds and returns.
 */
@SuppressWarnings({"DoNotCallSuggester", "UnusedVariable"})
final class Spoiled {
  private Spoiled() {}

  /** Does nothing, and answers zero, false or null. */
  static final class NotDone {
    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }
  }

  static final class Yes {
    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) boolean answer) {
      answer = true;
    }
  }

  static final class MinusOne {
    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) int answer) {
      answer = -1;
    }
  }

  static final class NoList {
    @Advice.OnMethodExit
    static void exit(
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object answer) {
      answer = List.of();
    }
  }

  static final class NoValue {
    @Advice.OnMethodExit
    static void exit(
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object answer) {
      answer = Optional.empty();
    }
  }

  static final class NoNumber {
    @Advice.OnMethodExit
    static void exit(
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object answer) {
      answer = OptionalInt.empty();
    }
  }

  static final class Fatal {
    @Advice.OnMethodEnter
    static void enter() {
      throw new IllegalStateException("planted");
    }
  }

  /** Errors of a disk pass for the end of what it holds. */
  static final class ErrorsUnseen {
    @Advice.OnMethodExit(onThrowable = IOException.class)
    static void exit(@Advice.Thrown(readOnly = false) Throwable thrown) {
      thrown = null;
    }
  }

  /** A stage of a pipeline that does not wait for those behind it. */
  static final class NobodyBehind {
    @Advice.OnMethodEnter
    static void enter(
        @Advice.FieldValue(value = "acknowledgedDownstream", readOnly = false) long behind) {
      behind = Long.MAX_VALUE;
    }
  }

  /** Pages by different ring maps pass for pages by one. */
  static final class AnyRing {
    @Advice.OnMethodEnter
    static void enter(
        @Advice.Argument(value = 0, readOnly = false) ListHoldingsResult page,
        @Advice.FieldValue("ring") RingMap ring) {
      if (ring != null) {
        page = page.toBuilder().setRingEpoch(ring.epoch()).build();
      }
    }
  }
}
