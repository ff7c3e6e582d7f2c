import EaselCore
import EaselFormats
import EaselSandbox

extension CoderRegistry {
  /// The same registry with the coders of risky formats in a sandbox.
  ///
  /// PNG, JPEG, GIF and WebP stay in this process: their libraries are small, old and fuzzed by the whole world. So do
  /// the formats that Easel reads in Swift: BMP, ICO, PNM, QOI and Radiance HDR. All others go into the sandbox: AVIF,
  /// HEIC, JPEG XL, JPEG 2000, TIFF, and coders of your own.
  ///
  /// ```swift
  /// configuration.coder = CoderRegistry.standard.sandboxingRiskyFormats(in: Sandbox())
  /// ```
  public func sandboxingRiskyFormats(in sandbox: Sandbox) -> CoderRegistry {
    sandboxed(in: sandbox) { coder in
      let cards = FormatCards.cards(of: coder)
      return cards.isEmpty || !cards.allSatisfy(\.isTrusted)
    }
  }
}

extension Sandbox {
  /// Becomes a worker for these coders, and never returns, if the program was started as one.
  ///
  /// Call it first in `main`, before anything starts a thread. Otherwise it does nothing. The coders are those of the
  /// manager.
  ///
  /// ```swift
  /// Sandbox.runIfWorker()
  /// let manager = ImageManager(.server(cacheDirectory: "/var/cache/pictures"))
  /// ```
  public static func runIfWorker(coder: CoderRegistry = .standard) { runIfWorker(coders: coder.coders) }
}
