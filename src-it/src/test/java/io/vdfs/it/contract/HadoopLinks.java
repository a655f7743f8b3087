package io.vdfs.it.contract;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Finds what a jar uses of Hadoop that some libraries of Hadoop lack: the linkage errors that would
 * occur when the code is reached. Confined to one thread.
 */
final class HadoopLinks {
  private static final int API = Opcodes.ASM9;
  private static final String HADOOP = "org/apache/hadoop/";

  private final Map<String, Declared> libraries = new HashMap<>();
  private final Set<String> lacking = new TreeSet<>();

  /** A class of the libraries and what it declares: members as in {@code name(I)V}. */
  private record Declared(List<String> parents, Set<String> members) {}

  private HadoopLinks() {}

  /**
   * @param looksAt decides by the name in the jar which classes are checked
   * @return {@code USER uses CLASS} or {@code USER uses CLASS.member}, with classes by their simple
   *     names
   */
  static Set<String> lacking(Path jar, Predicate<String> looksAt, List<Path> libraries)
      throws IOException {
    HadoopLinks links = new HadoopLinks();
    for (Path library : libraries) {
      eachClass(library, name -> name.startsWith(HADOOP), links::declare);
    }
    eachClass(jar, name -> name.contains(HADOOP), links::declare);
    eachClass(jar, looksAt, links::use);
    return links.lacking;
  }

  private static void eachClass(Path jar, Predicate<String> chosen, Consumer<ClassReader> use)
      throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry entry : Collections.list(file.entries())) {
        String name = entry.getName();
        if (name.endsWith(".class") && chosen.test(name)) {
          use.accept(new ClassReader(file.getInputStream(entry).readAllBytes()));
        }
      }
    }
  }

  private void declare(ClassReader reader) {
    Set<String> members = new HashSet<>();
    reader.accept(
        new ClassVisitor(API) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String generic, String[] thrown) {
            members.add(name + descriptor);
            return null;
          }

          @Override
          public FieldVisitor visitField(
              int access, String name, String descriptor, String generic, Object value) {
            members.add(name + ":" + descriptor);
            return null;
          }
        },
        ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    List<String> parents = new ArrayList<>(List.of(reader.getInterfaces()));
    parents.add(reader.getSuperName());
    libraries.putIfAbsent(reader.getClassName(), new Declared(parents, members));
  }

  private void use(ClassReader reader) {
    String user = simple(reader.getClassName());
    needClass(user, reader.getSuperName());
    for (String parent : reader.getInterfaces()) {
      needClass(user, parent);
    }
    reader.accept(
        new ClassVisitor(API) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String generic, String[] thrown) {
            needTypes(user, descriptor);
            return new Code(user);
          }

          @Override
          public FieldVisitor visitField(
              int access, String name, String descriptor, String generic, Object value) {
            needTypes(user, descriptor);
            return null;
          }
        },
        ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
  }

  /** Checks the code of one method. */
  private final class Code extends MethodVisitor {
    private final String user;

    Code(String user) {
      super(API);
      this.user = user;
    }

    @Override
    public void visitMethodInsn(
        int code, String owner, String name, String descriptor, boolean ofInterface) {
      needMember(user, owner, name + descriptor);
    }

    @Override
    public void visitFieldInsn(int code, String owner, String name, String descriptor) {
      needMember(user, owner, name + ":" + descriptor);
    }

    @Override
    public void visitTypeInsn(int code, String type) {
      needClass(user, type);
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle bootstrap, Object... arguments) {
      needTypes(user, descriptor);
      for (Object argument : arguments) {
        if (argument instanceof Handle handle) {
          needMember(user, handle.getOwner(), handle.getName() + handle.getDesc());
        }
      }
    }
  }

  private void needTypes(String user, String descriptor) {
    if (descriptor.startsWith("(")) {
      for (Type argument : Type.getArgumentTypes(descriptor)) {
        needClass(user, argument.getInternalName());
      }
      needClass(user, Type.getReturnType(descriptor).getInternalName());
    } else {
      needClass(user, Type.getType(descriptor).getInternalName());
    }
  }

  private void needClass(String user, String type) {
    if (type.startsWith(HADOOP) && !libraries.containsKey(type)) {
      lacking.add(user + " uses " + simple(type));
    }
  }

  private void needMember(String user, String owner, String member) {
    needClass(user, owner);
    if (libraries.containsKey(owner) && !has(owner, member)) {
      lacking.add(user + " uses " + simple(owner) + "." + member);
    }
  }

  /** Whether a class or a parent has it; assumed of classes that are not Hadoop's. */
  private boolean has(String type, String member) {
    Declared declared = libraries.get(type);
    return declared == null
        ? isForeign(type)
        : declared.members().contains(member)
            || declared.parents().stream().anyMatch(parent -> has(parent, member));
  }

  private static boolean isForeign(String type) {
    return !type.startsWith(HADOOP) && !type.equals("java/lang/Object");
  }

  private static String simple(String type) {
    return type.substring(type.lastIndexOf('/') + 1);
  }
}
