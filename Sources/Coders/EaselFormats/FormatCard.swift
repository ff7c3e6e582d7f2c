import EaselCore

/// All that the rest of the house must know of a format besides how to read and write it.
///
/// The module of a coder has one value for each of its formats. Names, costs, metrics and the choice of coders for the
/// sandbox follow from it, and so do tests, tables and fuzzing.
package struct FormatCard: Sendable {
  package let format: ImageFormat
  /// The name in metrics, which must never change, and of the folder with test pictures.
  package let name: String
  /// The extensions of files, without the dot and in lower case; the usual one is first.
  package let fileExtensions: [String]
  /// True when the decoder is small, old and fuzzed by the whole world, or Swift: it may read strangers' files anywhere.
  package let isTrusted: Bool
  /// True when encoding without loss gives back every pixel.
  package let isLossless: Bool
  /// True when the decoder reads a part of a picture without the rest.
  package let decodesRegions: Bool
  package let cost: FormatCost
  /// A small file, of a format that is not written.
  package let sample: [UInt8]?
  /// The libraries that do the work, nil for one that is missing; asking loads them.
  package let libraries: @Sendable () -> [LibraryVersion?]

  package init(
    _ format: ImageFormat, _ name: String, extensions: [String], isTrusted: Bool = false, isLossless: Bool = false,
    decodesRegions: Bool = false, cost: FormatCost, sample: [UInt8]? = nil,
    libraries: @escaping @Sendable () -> [LibraryVersion?] = { [] }
  ) {
    (self.format, self.name, fileExtensions, self.isTrusted) = (format, name, extensions, isTrusted)
    (self.isLossless, self.cost, self.sample, self.libraries) = (isLossless, cost, sample, libraries)
    self.decodesRegions = decodesRegions
  }
}
