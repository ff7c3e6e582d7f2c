/// A coder of files whose size in pixels does not tell how long it takes to decode them.
package protocol EffortEstimatingCoder: ImageCoder {
  /// Estimates the time that reading the header takes, and that decoding takes again; nil if the pixels tell it.
  ///
  /// The estimate is quick, and uses no library that a hostile file could keep busy.
  func effort(of bytes: ImageBytes, limits: Limits) -> Duration?
}
