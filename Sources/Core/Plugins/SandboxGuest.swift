/// A coder that needs more of a sandbox than to be run in it.
package protocol SandboxGuest: ImageCoder {
  /// True when the coder must not decode where there is no sandbox.
  var staysInSandbox: Bool { get }

  /// True when its library starts threads.
  var startsThreads: Bool { get }

  /// Does once, in the process of which all others are copies, what they may not do later, such as opening files.
  ///
  /// Returns a small picture with which the coder warms up. No thread may be left.
  func prepareForSandbox() -> ImageBytes
}
