import CEaselService
import EaselCore
import EaselSupport
import EaselWorkers
import FoundationEssentials
import Glibc

/// Loads `local:///` URLs, or `local://NAME/` URLs, from one folder, and nothing outside it.
///
/// The kernel keeps every path and every link within the folder; an absolute link may name a file in it. An edited file
/// counts as another picture: inode, size and time of the last change are part of the cache key. All but small files are
/// read only when somebody needs their bytes, so that what waits for its turn holds no memory; one that is changed before
/// that is an error.
public final class FolderLoader: ImageLoader {
  private static let timeLimit = Duration.seconds(30)
  private static let partSize = 1 << 20
  /// The size up to which a file is read at once.
  private static let mostBytesAtOnce = 64 << 10

  private let folder: CInt
  private let name: String
  private let workers = WorkerSet.files

  /// Opens the folder, whose files are `local:///PATH`, or `local://NAME/PATH` if it has a name.
  ///
  /// Throws if there is no such folder, or if the kernel cannot keep paths within it (before Linux 5.6).
  public init(folder path: String, name: String = "") throws(ImageError) {
    self.name = name
    let descriptor = easel_open_folder(path)
    guard descriptor >= 0 else {
      let cause = SystemError(code: errno)
      throw ImageError(.invalidURL, "The folder \(path) cannot be opened: \(cause).", subject: path, cause: cause)
    }
    let probe = easel_open_beneath(descriptor, ".")
    guard probe >= 0 else {
      let cause = SystemError(code: errno)
      close(descriptor)
      throw ImageError(
        .invalidURL,
        "Files in \(path) cannot be opened safely: \(cause). This needs openat2, which Linux has since 5.6.",
        subject: path, cause: cause)
    }
    close(probe)
    folder = descriptor
  }

  deinit { close(folder) }

  /// `local` for every file; the identity in the origin tells the versions of a file apart.
  public var cacheIdentity: CacheIdentity { .named("local") }

  /// Accepts every URL with the scheme `local` and the name of the folder.
  public func canLoad(_ url: URL) -> Bool { url.scheme == "local" && (url.host() ?? "") == name }

  /// The URL as the key, and the version of the file as the scope.
  public func origin(of url: URL) -> ImageOrigin {
    let version = (try? open(url)).map { file in
      defer { close(file.descriptor) }
      return Self.version(file.status)
    }
    return ImageOrigin(
      key: url.absoluteString, cacheIdentity: .named("file \(version ?? "-")"), diskUse: .variantsOnly,
      isLasting: false)
  }

  /// Does not block a file: whether it is there is quickly asked again.
  public func shouldBlock(_ url: URL, after error: ImageError) -> Bool? { error.code == .invalidURL ? false : nil }

  /// Returns the bytes of the file, in memory or to be read from the file as needed.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let cancellation = Cancellation()
    let terms = JobTerms(WorkTime(Self.timeLimit, clock: workers.clock)) {
      ImageError(.timedOut, "Reading a local file did not end within \(Self.timeLimit).")
    }
    let bytes = try await withTaskCancellationHandler {
      try await workers.run(at: request.priority, terms) { [self] in
        let file = try open(request.url)
        defer { close(file.descriptor) }
        return try read(file, for: request, cancellation)
      }
    } onCancel: {
      cancellation.cancel()
    }
    return .bytes(bytes, ResponseHead(url: request.url))
  }

  private struct OpenedFile {
    /// The path within the folder.
    let name: String
    let descriptor: CInt
    let status: stat
  }

  /// Opens a regular file; the caller closes it.
  ///
  /// The part of a name after a question mark may be a query, which only keeps versions apart in caches, so a file with
  /// the whole name comes first.
  private func open(_ url: URL) throws(ImageError) -> OpenedFile {
    let name = Array(url.path(percentEncoded: false).utf8.drop { $0 == UInt8(ascii: "/") })
    if let file = regularFile(name) { return file }
    if let mark = name.firstIndex(of: UInt8(ascii: "?")), let file = regularFile(name[..<mark]) { return file }
    throw ImageError(.invalidURL, "There is no such file.", subject: url.absoluteString)
  }

  /// The regular file of this name, open; nil if there is none.
  private func regularFile(_ name: some Collection<UInt8>) -> OpenedFile? {
    guard !name.isEmpty, !name.contains(0) else { return nil }
    let name = String(decoding: name, as: UTF8.self)
    let descriptor = easel_open_beneath(folder, name)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    return OpenedFile(name: name, descriptor: descriptor, status: status)
  }

  private static func version(_ status: stat) -> String {
    "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
  }

  private func read(
    _ file: OpenedFile, for request: LoadRequest, _ cancellation: Cancellation
  ) throws -> ImageBytes {
    let url = request.url.absoluteString
    // Another version would be cached under a wrong key.
    let expected = request.key.scope.parts.first { $0.name == "loader" && $0.value.hasPrefix("file ") }
    guard expected == nil || expected?.value == "file \(Self.version(file.status))" else { throw Self.changed(url) }
    let count = Int(file.status.st_size)
    guard count <= request.byteLimit else {
      throw ImageError.tooLong("The file has \(count) bytes, over the limit of \(request.byteLimit).", subject: url)
    }
    guard count > 0 else { return ImageBytes([]) }
    guard count <= Self.mostBytesAtOnce else { return try bytes(in: file, url) }
    guard let buffer = BufferPool.shared.buffer(ofAtLeast: count) else {
      throw ImageError.exhausted("There is no memory for the \(count) bytes of the file.", subject: url)
    }
    var done = 0
    while done < count {
      if cancellation.isCancelled { throw CancellationError() }
      let got = pread(
        file.descriptor, buffer.bytes.baseAddress! + done, min(Self.partSize, count - done), off_t(done))
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else {
        throw ImageError(.truncatedBody, "The file had \(count) bytes, but now it ends at \(done).", subject: url)
      }
      done += got
    }
    return ImageBytes(buffer, count: done)
  }

  /// The bytes of a file that stay there.
  private func bytes(in file: OpenedFile, _ url: String) throws -> ImageBytes {
    let name = file.name
    let bytes = try ImageBytes(fileNamed: url) { [self] in easel_open_beneath(folder, name) }
    // It was opened again, and the name may lead to another file by now.
    let version = try bytes.withFileDescriptor { descriptor -> String? in
      var status = stat()
      return fstat(descriptor, &status) == 0 ? Self.version(status) : nil
    }
    guard version == Self.version(file.status) else { throw Self.changed(url) }
    return bytes
  }

  private static func changed(_ url: String) -> ImageError {
    ImageError(.truncatedBody, "The file was changed after the request was made.", subject: url)
  }
}
