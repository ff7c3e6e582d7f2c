/// A coder of files whose size in pixels does not tell how much work they are.
package protocol EffortEstimatingCoder: ImageCoder {
  /// The estimated processor time for reading the header, and again for decoding; nil if the pixels tell it.
  ///
  /// It is quick, and uses no library that a stranger's file could keep busy.
  func effort(of bytes: ImageBytes, limits: Limits) -> Duration?
}
