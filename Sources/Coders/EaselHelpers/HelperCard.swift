import EaselCore

/// The description of a helper: a program that decodes formats which Easel does not have.
///
/// The program begins with `Sandbox.runIfWorker(coders:)`. Easel starts it as the worker of a sandbox, so that its
/// decoder can read one file, compute, and return pixels, and do nothing else. Cards come from files that the packages
/// of helpers install; ``HelperCards`` finds them.
public struct HelperCard: Hashable, Sendable {
  /// A format of a helper, and the usual extensions of its files.
  struct Format: Hashable, Sendable {
    let format: ImageFormat
    let extensions: [String]
  }

  /// The name of the coder in cache keys, which is also its identifier in the helper.
  public let coder: String
  /// The path of the program.
  public let program: String

  let formatsAndExtensions: [Format]
  let signatures: [HelperSignature]
  /// True if its pictures can be drawn larger than their files state without a loss.
  let isDrawing: Bool
  /// True if its library starts threads.
  let startsThreads: Bool
  /// True if it is asked before the coders of Easel, because their formats have the same signature.
  let isAskedFirst: Bool
  /// The megabytes that a process of it needs, besides the pixels.
  let memory: Int
  let nanosecondsPerPixel: Double
  let bytesPerPixel: Double

  /// The formats that the helper decodes.
  public var formats: [ImageFormat] { formatsAndExtensions.map(\.format) }

  /// A mistake in a card.
  struct Mistake: Error, Hashable {
    let message: String
    init(_ message: String) { self.message = message }
  }
}
