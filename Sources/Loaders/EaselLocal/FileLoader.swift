import EaselCore
import EaselWorkers
import FoundationEssentials
import Glibc

/// Loads `file:` URLs.
///
/// An edited file counts as another picture, because inode, size and time of the last change are part of the cache key.
/// The disk cache stores only the variants of a file, not the file itself. Only regular files are read.
///
/// The response states no type, because a file's name may be wrong: the manager uses the type that a coder recognizes.
///
/// The loader reads every file that the process may read. Do not use it in a manager for which strangers choose the
/// URLs.
///
/// ```swift
/// configuration.loader = LoaderChain([FileLoader()])
/// let image = try await ImageManager(configuration).image(for: URL(filePath: "/srv/pictures/cat.jpg"))
/// ```
public struct FileLoader: ImageLoader {
  /// The longest time that reading a file may take.
  private static let timeLimit = Duration.seconds(30)

  private let memoryLimit: Int
  private let workers: WorkerSet

  /// Creates a loader that reads files up to a limit into memory, and larger files piece by piece.
  ///
  /// Files of up to `memoryLimit` bytes are read into memory. Larger ones are read while they are decoded.
  public init(memoryLimit: Int = 16 << 20) { self.init(memoryLimit: memoryLimit, workers: .files) }

  init(memoryLimit: Int, workers: WorkerSet) {
    self.memoryLimit = memoryLimit
    self.workers = workers
  }

  /// The name `file` for all files; the identity in the origin distinguishes the versions of a file.
  public var cacheIdentity: CacheIdentity { .named("file") }

  /// Accepts every URL with the scheme `file`.
  public func canLoad(_ url: URL) -> Bool { url.scheme?.lowercased() == "file" }

  /// Names the picture by its URL, with the version of the file as the identity.
  public func origin(of url: URL) -> ImageOrigin {
    let identity = (try? LocalPath(url)).flatMap { LocalFile.identity(at: $0) }
    return ImageOrigin(
      key: url.absoluteString, cacheIdentity: .named(identity?.scope ?? FileIdentity.scopeWithoutFile),
      diskUse: .variantsOnly, isLasting: false)
  }

  /// Does not block a file that exists but could not be read, because it may become readable without a new key.
  public func shouldBlock(_ url: URL, after error: ImageError) -> Bool? {
    guard error.code == .invalidURL, let cause = error.underlyingError as? SystemError else { return nil }
    return cause.code == ENOENT || cause.code == ENOTDIR ? nil : false
  }

  /// Returns the bytes of the file, either in memory or read from the file when needed.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let path = try LocalPath(request.url)
    let cancellation = Cancellation()
    let terms = JobTerms(WorkTime(Self.timeLimit, clock: workers.clock)) {
      ImageError(
        .timedOut, "Reading \(path.text) did not end within \(Self.timeLimit). Check what keeps its disk busy.",
        subject: path.text)
    }
    let bytes = try await withTaskCancellationHandler {
      try await workers.run(at: request.priority, terms) {
        try read(path, for: request, cancellation)
      }
    } onCancel: {
      cancellation.cancel()
    }
    return .bytes(bytes, ResponseHead(url: request.url))
  }

  private func read(
    _ path: LocalPath, for request: LoadRequest, _ cancellation: Cancellation
  ) throws -> ImageBytes {
    let file = try LocalFile(path)
    try requireVersion(of: request.key, file, path)
    let count = file.identity.size
    guard count <= request.byteLimit else {
      throw ImageError.tooLong(
        "\(path.text) has \(count) bytes, over the limit of \(request.byteLimit). Raise Limits.downloadBytes to allow it.",
        subject: path.text)
    }
    if count > memoryLimit, let name = path.string {
      let bytes = try ImageBytes(contentsOfFile: name)
      // The file was opened again by its name, which may by now belong to another file.
      guard LocalFile.identity(at: path) == file.identity else { throw LocalFile.change(of: path) }
      return bytes
    }
    let bytes = try file.contents(cancellation)
    try file.requireUnchanged()
    return bytes
  }

  /// Throws when the file is not the version in the key, because it would be cached under the wrong key.
  private func requireVersion(of key: CacheKey, _ file: LocalFile, _ path: LocalPath) throws(ImageError) {
    let expected = key.scope.parts.first { $0.name == "loader" && FileIdentity.isScope($0.value) }
    guard let expected, expected.value != file.identity.scope else { return }
    throw LocalFile.change(of: path)
  }
}
