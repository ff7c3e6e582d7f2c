import EaselCore
import EaselLocal
import EaselManager
import EaselTiers
import EaselWorkers
import FoundationEssentials

/// Reading and writing files, for programs that need no cache.
extension Image {
  /// Reads a picture from a file in a format that the coder knows, by default those of ``CoderRegistry/standard``.
  ///
  /// ```swift
  /// let image = try await Image(contentsOf: URL(fileURLWithPath: "cat.jpg"))
  /// ```
  ///
  /// The default ``EaselCore/Limits`` apply, and nothing is cached. The file is read and decoded on threads that may
  /// block. For other URLs, and for files that are shown again and again, use a manager.
  public init(contentsOf url: URL, coder: CoderRegistry = .standard) async throws(ImageError) {
    try Self.requireFile(url)
    self = try await Self.manager(of: coder).image(for: url, options: .retryFailed)
  }

  /// Writes the picture to a file, in the given format or in the one that the extension of the name says.
  ///
  /// ```swift
  /// try await image.write(to: URL(fileURLWithPath: "cat.webp"))
  /// ```
  ///
  /// A file of that name is replaced when the new one is complete. A moving picture moves in formats that can.
  public func write(
    to url: URL, as format: ImageFormat? = nil, options: EncodeOptions = EncodeOptions(),
    coder: CoderRegistry = .standard
  ) async throws(ImageError) {
    try Self.requireFile(url)
    let chosen: ImageFormat
    if let format { chosen = format } else { chosen = try Self.format(ofFileNamed: url, coder) }
    let bytes = try await Self.manager(of: coder).encode(self, as: chosen, options: options)
    do {
      try await WorkerSet.fileWrites.run { try bytes.unchangedData().write(to: url, options: .atomic) }
    } catch {
      throw .wrapping(error, as: .invalidURL, "The file cannot be written.", subject: url.path)
    }
  }

  private static func requireFile(_ url: URL) throws(ImageError) {
    guard !url.isFileURL else { return }
    throw ImageError(
      .unsupportedURL, "This is not the URL of a file. Load it with ImageManager.shared.image(for:).",
      subject: url.absoluteString)
  }

  private static func format(ofFileNamed url: URL, _ coder: CoderRegistry) throws(ImageError) -> ImageFormat {
    if let format = FormatNames(coder).format(named: url.pathExtension) { return format }
    throw ImageError(
      .encodeFailed, "The extension of the file names no format that is known here. Name one: write(to:as:).",
      subject: url.path)
  }

  /// A manager for one file, which caches nothing.
  private static func manager(of coder: CoderRegistry) -> ImageManager {
    ImageManager(ImageManager.Configuration(loader: FileLoader(), coder: coder, cache: TieredCache()))
  }
}
