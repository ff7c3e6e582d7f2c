import EaselSupport
import Glibc
import Synchronization

/// A file that can be read at any time while the object lives.
///
/// Its descriptor may be closed when too many files are open. The next read opens the file again, and throws if the
/// file was replaced or changed.
final class OpenFile: Sendable {
  /// Opens the file and returns its descriptor, or returns -1 and sets `errno`.
  typealias Opener = @Sendable () -> CInt

  private struct Version: Equatable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      size = Int(status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  private struct State {
    var descriptor: OpenDescriptor?
    /// The first bytes of the file, kept after the first read, because coders read a header in several small parts.
    var head: [UInt8] = []
  }

  /// The number of first bytes that are kept.
  private static let headBytes = 512

  /// The path, or another name for the file in messages.
  let path: String
  /// True if other code can find the file by its path.
  ///
  /// A file without a path belongs to a loader. The loader's keys name the version of the file, so a read after a
  /// change must fail.
  let hasPath: Bool
  private let opener: Opener
  private let version: Version
  private let descriptors: OpenDescriptors
  private let state: Locked<State>
  private let use = Atomic<UInt64>(0)

  convenience init(path: String, descriptors: OpenDescriptors = .shared) throws(ImageError) {
    // The system stops reading a path at a null byte, and would open another file.
    guard !path.utf8.contains(0) else {
      throw ImageError(.invalidURL, "A path cannot contain a null byte.", subject: path)
    }
    try self.init(path, hasPath: true, descriptors) { Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
  }

  convenience init(
    named name: String, descriptors: OpenDescriptors = .shared, opener: @escaping Opener
  ) throws(ImageError) {
    try self.init(name, hasPath: false, descriptors, opener)
  }

  private init(
    _ path: String, hasPath: Bool, _ descriptors: OpenDescriptors, _ opener: @escaping Opener
  ) throws(ImageError) {
    let (descriptor, status) = try Self.open(path, opener, .invalidURL)
    (self.path, self.hasPath, self.opener) = (path, hasPath, opener)
    version = Version(status)
    state = Locked(State(descriptor: descriptor))
    self.descriptors = descriptors
    use.store(descriptors.nextUse(), ordering: .relaxed)
    descriptors.add(self)
  }

  deinit { descriptors.remove(self) }

  var count: Int { version.size }

  /// The number of the file's last read, counted over the reads of all files.
  var lastUse: UInt64 { use.load(ordering: .relaxed) }

  /// Closes the descriptor until the next read.
  func closeUntilNextRead() { state.withLock { $0 = State() } }

  func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
    var (descriptor, head) = try opened()
    defer { withExtendedLifetime(descriptor) {} }
    let end = offset + target.count
    if head.isEmpty && end <= Self.headBytes { head = try readHead(of: descriptor) }
    if end <= head.count {
      head.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<end])) }
      return target.count
    }
    var done = 0
    while done < target.count {
      let got = pread(descriptor.number, target.baseAddress! + done, target.count - done, offset + done)
      if got > 0 {
        done += got
      } else if got < 0 && errno == EINTR {
        continue
      } else if got < 0 {
        throw Self.failure(.badImageData, "read", path, errno)
      } else {
        let end = offset + done
        throw ImageError(
          codeOfChange, "\(path) had \(count) bytes when it was opened, but now it ends at \(end).", subject: path)
      }
    }
    try checkVersion(of: descriptor)
    return done
  }

  private var codeOfChange: ImageError.Code { hasPath ? .badImageData : .truncatedBody }

  /// Throws if a file without a path has changed since it was opened.
  private func checkVersion(of descriptor: OpenDescriptor) throws(ImageError) {
    guard !hasPath else { return }
    var status = stat()
    guard fstat(descriptor.number, &status) == 0, Version(status) == version else {
      throw ImageError(codeOfChange, "\(path) was changed after the request was made.", subject: path)
    }
  }

  /// Calls `body` with a descriptor that stays open during the call.
  func withDescriptor<Result>(_ body: (CInt) throws -> Result) throws -> Result {
    let descriptor = try opened().descriptor
    defer { withExtendedLifetime(descriptor) {} }
    return try body(descriptor.number)
  }

  /// Reads the first bytes and keeps them; fewer if the file has become shorter or cannot be read.
  private func readHead(of descriptor: OpenDescriptor) throws(ImageError) -> [UInt8] {
    let head = [UInt8](unsafeUninitializedCapacity: min(Self.headBytes, count)) { target, initialized in
      initialized = max(0, pread(descriptor.number, target.baseAddress, target.count, 0))
    }
    try checkVersion(of: descriptor)
    state.withLock { if $0.descriptor === descriptor { $0.head = head } }
    return head
  }

  private func opened() throws(ImageError) -> (descriptor: OpenDescriptor, head: [UInt8]) {
    use.store(descriptors.nextUse(), ordering: .relaxed)
    let (open, head) = state.withLock { ($0.descriptor, $0.head) }
    if let open { return (open, head) }
    let (reopened, status) = try Self.open(path, opener, .badImageData)
    guard Version(status) == version else {
      throw ImageError(
        codeOfChange, "\(path) was replaced or changed after the request was made. Make a new request.",
        subject: path)
    }
    state.withLock { $0 = State(descriptor: reopened) }
    descriptors.add(self)
    return (reopened, [])
  }

  private static func open(
    _ path: String, _ opener: Opener, _ kind: ImageError.Code
  ) throws(ImageError) -> (OpenDescriptor, stat) {
    let number = opener()
    guard number >= 0 else { throw failure(kind, "open", path, errno) }
    let descriptor = OpenDescriptor(number)
    var status = stat()
    guard fstat(number, &status) == 0 else { throw failure(kind, "read the size of", path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ImageError(kind, "\(path) is not a regular file.", subject: path)
    }
    return (descriptor, status)
  }

  private static func failure(
    _ kind: ImageError.Code, _ action: String, _ path: String, _ code: CInt
  ) -> ImageError {
    ImageError(
      kind, "Could not \(action) \(path): \(String(cString: strerror(code))).", subject: path,
      cause: SystemError(code: code))
  }
}

/// A file descriptor that is closed when its last reader releases it.
final class OpenDescriptor: Sendable {
  let number: CInt

  init(_ number: CInt) { self.number = number }

  deinit { close(number) }
}
