/// A coder of files whose size in pixels does not tell how much work they are.
package protocol EffortEstimatingCoder: ImageCoder {
  /// The estimated processor time for reading the header, and again for decoding; nil if the pixels tell it.
  ///
  /// It is quick, and uses no library that a stranger's file could keep busy.
  func effort(of bytes: ImageBytes, limits: Limits) -> Duration?
}

extension CoderRegistry: EffortEstimatingCoder {
  package func effort(of bytes: ImageBytes, limits: Limits) -> Duration? {
    guard let prefix = try? bytes.prefix(Self.sniffLength) else { return nil }
    let coder = coders.last { $0.canDecode(prefix: prefix) }
    return (coder as? any EffortEstimatingCoder)?.effort(of: bytes, limits: limits)
  }
}
