package io.vdfs.datanode.meta.op.attributes;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AclTypeProto;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.access.Acl;
import io.vdfs.datanode.meta.state.access.AclEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One change of an ACL, by the rules of HDFS: masks are kept where their scope is not touched,
 * taken where they are given, and computed anew otherwise; a default ACL that lacks an entry of its
 * own takes it over from the access ACL. Confined to one operation.
 */
final class AclEdit {
  private static final int MAX_ENTRIES = 32;

  private final List<AclEntry> entries = new ArrayList<>();
  private final Map<Boolean, AclEntry> masks = new HashMap<>();
  private final Set<Boolean> changed = new HashSet<>();
  private final Set<Boolean> maskChanged = new HashSet<>();

  private AclEdit() {}

  /** The ACL with the given entries in place of all in their scopes. */
  static Acl set(Acl old, List<AclEntry> given) throws VdfsException {
    AclEdit edit = new AclEdit();
    given.forEach(edit::change);
    Set<Boolean> replaced = Set.copyOf(edit.changed);
    old.entries().stream()
        .filter(entry -> !replaced.contains(entry.isDefault()))
        .forEach(edit::keep);
    return edit.result();
  }

  static Acl modify(Acl old, List<AclEntry> given) throws VdfsException {
    AclEdit edit = new AclEdit();
    old.entries().stream().filter(entry -> !isNamedBy(given, entry)).forEach(edit::keep);
    given.forEach(edit::change);
    return edit.result();
  }

  /** The ACL without the entries that {@code given} names; their permissions do not matter. */
  static Acl remove(Acl old, List<AclEntry> given) throws VdfsException {
    AclEdit edit = new AclEdit();
    for (AclEntry entry : old.entries()) {
      if (!isNamedBy(given, entry)) {
        edit.keep(entry);
      } else {
        edit.changed.add(entry.isDefault());
        if (entry.type() == AclTypeProto.ACL_MASK) {
          edit.maskChanged.add(entry.isDefault());
        }
      }
    }
    return edit.result();
  }

  private static boolean isNamedBy(List<AclEntry> given, AclEntry entry) {
    return given.stream().anyMatch(entry::hasKeyOf);
  }

  private void keep(AclEntry entry) {
    if (entry.type() == AclTypeProto.ACL_MASK) {
      masks.put(entry.isDefault(), entry);
    } else {
      entries.add(entry);
    }
  }

  private void change(AclEntry entry) {
    keep(entry);
    changed.add(entry.isDefault());
    if (entry.type() == AclTypeProto.ACL_MASK) {
      maskChanged.add(entry.isDefault());
    }
  }

  private Acl result() throws VdfsException {
    completeDefaults();
    for (boolean isDefault : List.of(false, true)) {
      addMask(isDefault);
      requireBounded(isDefault);
    }
    requireOwn(false);
    if (entries.stream().anyMatch(AclEntry::isDefault)) {
      requireOwn(true);
    }
    return new Acl(entries);
  }

  private void completeDefaults() {
    if (entries.stream().noneMatch(AclEntry::isDefault)) {
      return;
    }
    Acl now = new Acl(entries);
    for (AclTypeProto type :
        List.of(AclTypeProto.ACL_USER, AclTypeProto.ACL_GROUP, AclTypeProto.ACL_OTHER)) {
      if (now.own(true, type).isEmpty()) {
        now.own(false, type)
            .ifPresent(e -> entries.add(new AclEntry(true, type, "", e.permission())));
      }
    }
  }

  private void addMask(boolean isDefault) throws VdfsException {
    List<AclEntry> scope = entries.stream().filter(e -> e.isDefault() == isDefault).toList();
    if (scope.isEmpty()) {
      return;
    }
    boolean needed = scope.stream().anyMatch(AclEntry::isNamed);
    Optional<AclEntry> given = Optional.ofNullable(masks.get(isDefault));
    if (given.isEmpty() && needed && maskChanged.contains(isDefault)) {
      throw Refusals.invalid(
          "an ACL with named users or groups needs its mask: default=" + isDefault);
    }
    if (given.isPresent() && (!changed.contains(isDefault) || maskChanged.contains(isDefault))) {
      entries.add(given.get());
    } else if (needed || given.isPresent()) {
      int union =
          scope.stream()
              .filter(e -> e.isNamed() || e.type() == AclTypeProto.ACL_GROUP)
              .mapToInt(AclEntry::permission)
              .reduce(0, (left, right) -> left | right);
      entries.add(new AclEntry(isDefault, AclTypeProto.ACL_MASK, "", union));
    }
  }

  private void requireBounded(boolean isDefault) throws VdfsException {
    long count = entries.stream().filter(entry -> entry.isDefault() == isDefault).count();
    if (count > MAX_ENTRIES) {
      throw Refusals.invalid(
          "too many entries in an ACL: default=%s, entries=%s, limit=%s"
              .formatted(isDefault, count, MAX_ENTRIES));
    }
  }

  private void requireOwn(boolean isDefault) throws VdfsException {
    Acl acl = new Acl(entries);
    for (AclTypeProto type :
        List.of(AclTypeProto.ACL_USER, AclTypeProto.ACL_GROUP, AclTypeProto.ACL_OTHER)) {
      if (acl.own(isDefault, type).isEmpty()) {
        throw Refusals.invalid(
            "an ACL needs entries of owner, group and others: default=%s, missing=%s"
                .formatted(isDefault, type));
      }
    }
  }
}
