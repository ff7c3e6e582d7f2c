/// A coder that needs more of a sandbox than to be run in it.
package protocol SandboxGuest: ImageCoder {
  /// True when the coder must not decode where there is no sandbox.
  var staysInSandbox: Bool { get }

  /// True when its library starts threads.
  var startsThreads: Bool { get }

  /// Does once, in the process of which all others are copies, what they may not do later, such as opening files.
  ///
  /// Returns a small picture with which the coder warms up; nil if what it needs cannot be had this time. No thread may be
  /// left: `threadsEnd` waits until all others have ended, and returns false if one never will.
  func prepareForSandbox(_ threadsEnd: @convention(c) () -> Bool) -> ImageBytes?

  /// The most memory that a picture may take with its pixels; nil if the sandbox's own limit is enough.
  func memoryBytes(for count: Int, _ limits: Limits) -> Int?
}

extension SandboxGuest {
  /// Returns nil.
  package func memoryBytes(for count: Int, _ limits: Limits) -> Int? { nil }
}
