package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A disk that can be full to the last byte: what is there can be overwritten, what is deleted gives
 * room. Confined to one thread.
 */
public final class PackedDisk extends ForwardingDisk {
  private static final int PAGE = 4096;

  /** What a name may take. */
  private static final int ENTRY = 256;

  private boolean full;
  private long room;

  public PackedDisk(Disk disk) {
    super(disk);
  }

  /** From now on there is no room but what deletions give. */
  public void fillUp() {
    full = true;
    room = 0;
  }

  /** Ends what {@link #fillUp} began. */
  public void giveRoom() {
    full = false;
  }

  private void take(long bytes, String what) throws DiskFullException {
    if (full && bytes > room) {
      throw new DiskFullException("No space left on device: " + what);
    }
    room -= bytes;
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    return new OpenFile(super.open(file));
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    take(PAGE, "create " + file);
    return new OpenFile(super.create(file));
  }

  @Override
  public DiskFile createFilled(Path file, int size) throws IOException {
    take(PAGE + size, "create " + file);
    return new OpenFile(super.createFilled(file, size));
  }

  @Override
  public void link(Path name, Path file) throws IOException {
    take(ENTRY, "link " + name);
    super.link(name, file);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    if (!exists(directory)) {
      take(PAGE, "create directory " + directory);
    }
    super.createDirectories(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    if (exists(file)) {
      room += size(file);
    }
    super.delete(file);
  }

  @Override
  public long usable(Path path) throws IOException {
    return full ? room : super.usable(path);
  }

  private final class OpenFile extends ForwardingFile {
    private OpenFile(DiskFile file) {
      super(file);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      take(Math.max(0, position + source.remaining() - size()), "write at " + position);
      return super.write(source, position);
    }
  }
}
