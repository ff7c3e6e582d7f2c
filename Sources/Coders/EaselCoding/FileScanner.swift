import EaselCore

/// Collects the content of a file besides its pixels, from the bytes so far; pixels are skipped.
package protocol FileScanner: Sendable {
  associatedtype File: ScannedFile

  init(limits: Limits)

  /// The file as known so far; nil before its header.
  var file: File? { get }

  /// Continues reading where the last call stopped.
  ///
  /// With `isWhole`, no more bytes will come and missing bytes are damage. With `needsSizeOnly`, the scanner stops as
  /// soon as it knows the size.
  mutating func advance(
    over bytes: ImageBytes, isWhole: Bool, needsSizeOnly: Bool, work: WorkContext
  ) throws(ImageError)
}

/// The information that a scanner has about a file.
package protocol ScannedFile {
  /// The name of the format, which begins error messages.
  static var formatName: String { get }
  /// The size of the picture, before it is set upright.
  var storedSize: PixelSize { get }
  /// True once the pixels have begun.
  var hasPixels: Bool { get }
}

extension FileScanner {
  /// Reads everything except the pixels of a file; throws if the file has no pixels.
  package static func file(in bytes: ImageBytes, work: WorkContext) throws(ImageError) -> File {
    var scanner = Self(limits: work.limits)
    try scanner.advance(over: bytes, isWhole: true, needsSizeOnly: false, work: work)
    guard let file = scanner.file, file.hasPixels else { throw File.withoutPixels(bytes) }
    return file
  }

  /// Reads the size of the picture in a file and stops there.
  package static func storedSize(in bytes: ImageBytes, work: WorkContext) throws(ImageError) -> PixelSize {
    var scanner = Self(limits: work.limits)
    try scanner.advance(over: bytes, isWhole: true, needsSizeOnly: true, work: work)
    guard let file = scanner.file else { throw .bad(File.formatName, "the file ends before it states a size") }
    return file.storedSize
  }
}

extension ScannedFile {
  static func withoutPixels(_ bytes: ImageBytes) -> ImageError {
    .bad(formatName, "there are no pixels in the \(bytes.count) bytes of the file")
  }
}
