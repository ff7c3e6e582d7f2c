import EaselCore

/// The facts about a format that other modules need, besides how to read and write it.
///
/// The module of a coder has one card for each of its formats. Names, costs, metrics and the choice of coders for the
/// sandbox come from the card, and tests, tables and fuzzing use it as well.
package struct FormatCard: Sendable {
  package let format: ImageFormat
  /// The name in metrics, which must never change, and of the folder with test pictures.
  package let name: String
  /// The extensions of files, without the dot and in lower case, the usual extension first.
  package let fileExtensions: [String]
  /// True if the decoder may read strangers' files outside the sandbox: it is small, old and widely fuzzed, or written
  /// in Swift.
  package let isTrusted: Bool
  /// True if lossless encoding preserves every pixel.
  package let isLossless: Bool
  /// True when the decoder reads a part of a picture without the rest.
  package let decodesRegions: Bool
  package let cost: FormatCost
  /// A small file for tests of a format that Easel does not write.
  package let sample: [UInt8]?
  /// The libraries that decode and encode, nil for a missing library; the call loads them.
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
