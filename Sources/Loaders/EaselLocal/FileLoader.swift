import EaselCore
import FoundationEssentials
import Glibc

/// Loads `file:` URLs.
///
/// A file that was edited is another picture: inode, size and time of the last change are part of the cache key. The
/// file itself is not copied into a disk cache, only what is made of it. What is no regular file is refused.
///
/// The response states the type that the first bytes show, and for formats unknown here the one that goes with the
/// extension of the name.
///
/// It reads whatever the process may read. Where strangers choose the URLs it does not belong into the loaders of a
/// manager.
public struct FileLoader: ImageLoader {
  /// How long a file may take to be read.
  private static let patience = Duration.seconds(30)

  private let memoryLimit: Int
  private let workers: WorkerSet

  /// Creates a loader.
  ///
  /// Files of up to `memoryLimit` bytes are read into memory, larger ones piece by piece while they are decoded.
  public init(memoryLimit: Int = 16 << 20) { self.init(memoryLimit: memoryLimit, workers: .files) }

  init(memoryLimit: Int, workers: WorkerSet) {
    self.memoryLimit = memoryLimit
    self.workers = workers
  }

  /// That the bytes are those of a file; which version of it, the origin says.
  public var cacheIdentity: String? { "file" }

  /// Takes every URL with the scheme `file`.
  public func canLoad(_ url: URL) -> Bool { url.scheme?.lowercased() == "file" }

  /// Named by the URL and the version of the file.
  public func origin(of url: URL) -> ImageOrigin {
    let identity = (try? LocalPath(url)).flatMap { LocalFile.identity(at: $0) }
    return ImageOrigin(
      key: url.absoluteString, scope: identity?.scope ?? FileIdentity.scopeOfNothing, diskUse: .variantsOnly,
      isLasting: false)
  }

  /// A file that exists and could not be read is tried again, since that may change without a trace in its key.
  public func shouldBlock(_ url: URL, after error: ImageError) -> Bool? {
    guard error.code == .invalidURL, let cause = error.underlyingError as? SystemError else { return nil }
    return cause.code == ENOENT || cause.code == ENOTDIR ? nil : false
  }

  /// Hands the bytes over as they lie ready, in memory or in the file.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let path = try LocalPath(request.url)
    let cancellation = Cancellation()
    let terms = JobTerms(WorkTime(Self.patience, clock: workers.clock)) {
      ImageError(
        .timedOut, "Reading \(path.text) did not end within \(Self.patience). See what keeps its disk busy.",
        subject: path.text)
    }
    let (bytes, type) = try await withTaskCancellationHandler {
      try await workers.run(at: request.priority, terms) {
        let bytes = try read(path, for: request, cancellation)
        return (bytes, try FileType.mimeType(of: bytes, named: path.text))
      }
    } onCancel: {
      cancellation.cancel()
    }
    return .bytes(bytes, ResponseHead(url: request.url, headers: type.map { ["Content-Type": $0] } ?? [:]))
  }

  private func read(
    _ path: LocalPath, for request: LoadRequest, _ cancellation: Cancellation
  ) throws -> ImageBytes {
    let file = try LocalFile(path)
    try requireVersion(of: request.key, file, path)
    let count = file.identity.size
    guard count <= request.byteLimit else {
      throw ImageError(
        .limitExceeded,
        "\(path.text) has \(count) bytes, over the limit of \(request.byteLimit). Raise Limits.downloadBytes to allow it.",
        subject: path.text)
    }
    if count > memoryLimit, let name = path.string {
      let bytes = try ImageBytes(contentsOfFile: name)
      // Opened once more by its name, which may lead elsewhere by now.
      guard LocalFile.identity(at: path) == file.identity else { throw LocalFile.change(of: path) }
      return bytes
    }
    let bytes = try file.contents(cancellation)
    try file.requireUnchanged()
    return bytes
  }

  /// Throws when the file is not the one that the key was made for, since it would be cached under a wrong name.
  private func requireVersion(of key: CacheKey, _ file: LocalFile, _ path: LocalPath) throws(ImageError) {
    let expected = key.scope.parts.first { $0.name == "loader" && FileIdentity.isScope($0.value) }
    guard let expected, expected.value != file.identity.scope else { return }
    throw LocalFile.change(of: path)
  }
}
