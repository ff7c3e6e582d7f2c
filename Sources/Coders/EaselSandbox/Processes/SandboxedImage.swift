import EaselCore

/// The bytes of a picture and the coder that is to read them.
struct SandboxedImage: Sendable {
  let bytes: ImageBytes
  let coder: String
  /// True if the library of the coder starts threads.
  var hasThreads = false
  /// The most memory that its decoding may take; nil if only the sandbox has a limit.
  var memoryBytes: Int?

  func isSame(as other: SandboxedImage) -> Bool { coder == other.coder && bytes.isIdentical(to: other.bytes) }
}
