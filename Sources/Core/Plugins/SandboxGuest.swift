/// A coder that needs more of a sandbox than to be run in it.
///
/// Any coder can decode in a sandbox. This one has something to do before it closes, wants threads, or must decode nowhere
/// else. Each requirement has a default, which asks for nothing.
public protocol SandboxGuest: ImageCoder {
  /// Does what the coder cannot do in the sandbox, such as opening files, and returns a small file to warm up with.
  ///
  /// It is called once, in the process of which those of all pictures are copies. The file is decoded there, so that
  /// tables are filled and libraries are loaded; with nil, an encoder writes one, and another coder is only slower. An
  /// error keeps the sandbox from starting.
  ///
  /// No thread may be left: `threadsEnd` waits until all others have ended, and returns false if one never will.
  func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) throws -> ImageBytes?

  /// True when its library starts threads, which the sandbox allows to no other coder.
  var startsThreads: Bool { get }

  /// True when the coder must not decode where there is no sandbox.
  var staysInSandbox: Bool { get }

  /// The most memory that a file of so many bytes may take with its pixels; nil leaves it to the sandbox's own limit.
  ///
  /// A larger number than that limit changes nothing: raise it in the configuration of the sandbox.
  func memoryBytes(forFileOf byteCount: Int, limits: Limits) -> Int?
}

extension SandboxGuest {
  /// Returns nil.
  public func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) throws -> ImageBytes? { nil }

  /// False.
  public var startsThreads: Bool { false }

  /// False.
  public var staysInSandbox: Bool { false }

  /// Returns nil.
  public func memoryBytes(forFileOf byteCount: Int, limits: Limits) -> Int? { nil }
}
