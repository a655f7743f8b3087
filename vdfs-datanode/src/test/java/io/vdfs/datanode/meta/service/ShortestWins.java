package io.vdfs.datanode.meta.service;

import io.vdfs.common.store.VerifiedGroup;
import net.bytebuddy.asm.Advice;

/** Spoils the judgement of a recovery, as code that is woven into it: the least copy decides. */
public final class ShortestWins {
  private ShortestWins() {}

  @Advice.OnMethodExit
  static void exit(
      @Advice.This GroupCensus census,
      @Advice.Return(readOnly = false) GroupCensus.Verdict verdict) {
    long least = verdict.length();
    for (VerifiedGroup found : census.found().values()) {
      least = Math.min(least, found.verified());
    }
    verdict = new GroupCensus.Verdict(least, verdict.holders(), verdict.lacking(), verdict.doubt());
  }
}
