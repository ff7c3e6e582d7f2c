import EaselCore

/// The bytes of a picture and the coder that reads them.
struct SandboxedImage: Sendable {
  let bytes: ImageBytes
  let coder: String
  /// True if the library of the coder starts threads.
  var hasThreads = false
  /// The most memory that the decoding may take; nil if only the sandbox limits it.
  var memoryBytes: Int?

  func isSame(as other: SandboxedImage) -> Bool { coder == other.coder && bytes.isIdentical(to: other.bytes) }
}
