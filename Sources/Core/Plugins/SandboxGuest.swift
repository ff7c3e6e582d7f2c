/// A coder with special needs in a sandbox.
///
/// Any coder can decode in a sandbox. A coder adopts this protocol if it has work to do before the sandbox closes, uses
/// threads, or must not decode elsewhere. Each requirement has a default, which asks for nothing.
public protocol SandboxGuest: ImageCoder {
  /// Does work that the sandbox forbids, such as opening files, and returns a small file for a first decode.
  ///
  /// It is called once, in the process that is copied for each picture. That process decodes the file, which fills
  /// tables and loads libraries. For nil, the file comes from an encoder, if there is one; otherwise the coder is only
  /// slower. An error keeps the sandbox from starting.
  ///
  /// All threads must have ended: `threadsEnd` waits for them, and returns false if one never ends.
  func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) throws -> ImageBytes?

  /// True when the coder's library starts threads, which the sandbox forbids to other coders.
  var startsThreads: Bool { get }

  /// True when the coder must not decode outside a sandbox.
  var staysInSandbox: Bool { get }

  /// The most memory that decoding a file of this length may take, including the pixels; nil for the sandbox's limit.
  ///
  /// A number above the sandbox's limit has no effect: raise that limit in the configuration of the sandbox.
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
