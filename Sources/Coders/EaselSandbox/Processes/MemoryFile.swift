import CEaselSandbox
import EaselCore
import EaselSupport
import Glibc
import Synchronization

/// A file in memory that a child reads or writes.
final class MemoryFile: Sendable {
  let descriptor: Descriptor
  /// The descriptor that only lets a child read, kept because opening it takes longer than all else.
  private let reading = Locked<Descriptor?>(nil)
  private let sealed = Atomic(false)

  init() throws(ImageError) {
    let number = easel_sandbox_memory_file()
    guard number >= 0 else { throw .sandboxLacks("a file in memory") }
    descriptor = Descriptor(number)
  }

  /// The current number of bytes in the file.
  var byteCount: Int {
    var status = stat()
    return fstat(descriptor.number, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Copies bytes from the file; returns false if the file ends too early.
  ///
  /// The file is read and not mapped, so that a child that shortens it at the same time does no harm.
  func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
    var done = 0
    while done < target.count {
      let got = pread(descriptor.number, target.baseAddress! + done, target.count - done, offset + done)
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { return false }
      done += got
    }
    return true
  }

  /// Replaces the whole content.
  func replaceContent(by bytes: UnsafeRawBufferPointer) throws(ImageError) {
    guard write(bytes, at: 0), ftruncate(descriptor.number, bytes.count) == 0 else {
      throw .sandboxLacks("\(bytes.count) bytes of memory for a file")
    }
  }

  /// Adds the bytes behind those that are there; the caller knows their number.
  func append(_ bytes: ImageBytes, from start: Int) throws {
    var place = start
    while place < bytes.count {
      let isWritten = bytes.withBytesInMemory { write(UnsafeRawBufferPointer(rebasing: $0[place...]), at: place) }
      if let isWritten {
        guard isWritten else { break }
        place = bytes.count
      } else {
        let part = try bytes.part(at: place, count: 256 << 10)
        guard !part.isEmpty, part.withUnsafeBytes({ write($0, at: place) }) else { break }
        place += part.count
      }
    }
    guard place == bytes.count else { throw ImageError.sandboxLacks("\(bytes.count) bytes of memory for a file") }
  }

  /// Overwrites the whole file with zeros, so that the next child cannot return the pixels of an earlier one.
  ///
  /// The file keeps its memory, which makes it several times faster than a new file.
  func clear() throws(ImageError) {
    guard easel_sandbox_clear(descriptor.number, byteCount) == 0 else {
      throw .sandboxLacks("memory for a file that is used again")
    }
  }

  /// Frees the memory after the first `count` bytes.
  func shorten(to count: Int) { ftruncate(descriptor.number, count) }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      let wrote = pwrite(descriptor.number, bytes.baseAddress! + done, bytes.count - done, offset + done)
      if wrote < 0 && errno == EINTR { continue }
      guard wrote > 0 else { return false }
      done += wrote
    }
    return true
  }

  /// A descriptor that does not permit changes to the file.
  ///
  /// Without /proc there is none, so the file itself is made immutable, and cannot be reused.
  func readOnly() throws(ImageError) -> Descriptor {
    if let known = reading.withLock({ $0 }) { return known }
    let number = open("/proc/self/fd/\(descriptor.number)", O_RDONLY | O_CLOEXEC)
    if number < 0 {
      guard easel_sandbox_seal(descriptor.number) == 0 else { throw .sandboxLacks("a file that cannot change") }
      sealed.store(true, ordering: .relaxed)
      return descriptor
    }
    let made = Descriptor(number)
    reading.withLock { $0 = made }
    return made
  }

  /// True if nobody can change the file any more.
  var isSealed: Bool { sealed.load(ordering: .relaxed) }

  /// Forgets the positions in the file, in which a child could leave a message for the next.
  func rewind() {
    lseek(descriptor.number, 0, SEEK_SET)
    if let reading = reading.withLock({ $0 }) { lseek(reading.number, 0, SEEK_SET) }
  }
}
