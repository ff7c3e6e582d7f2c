import EaselCore

/// The bytes of a picture and the coder that reads them.
struct SandboxedImage: Sendable {
  let bytes: ImageBytes
  let coder: String
  /// The group of the coder.
  var group = WorkerGroup.others
  /// True if the library of the coder starts threads.
  var hasThreads = false
  /// The most memory that the decoding may take; nil if only the sandbox limits it.
  var memoryBytes: Int?

  /// The kind of child that the picture needs.
  var childKind: SandboxChild.Kind { SandboxChild.Kind(hasThreads: hasThreads) }

  /// True if the picture needs nothing that other pictures do not.
  var isOrdinary: Bool { !hasThreads && memoryBytes == nil }

  func isSame(as other: SandboxedImage) -> Bool { coder == other.coder && bytes.isIdentical(to: other.bytes) }
}
