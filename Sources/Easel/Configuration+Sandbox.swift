import EaselCore
import EaselManager
import EaselSandbox

extension ImageManager.Configuration {
  /// The formats that are decoded in a sandbox, whose worker is this program.
  ///
  /// Whatever Easel reads of a file of such a format is then read in a process that can do nothing else: header, pixels,
  /// metadata, profiles and the pictures inside. Call `Sandbox.runIfWorker()` first in `main`, and set this after the
  /// coder. Without a sandbox, a picture is an error; ``EaselSandbox/Sandbox/start()`` tells before if there can be one.
  ///
  /// ```swift
  /// var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
  /// configuration.sandbox = .all
  /// ```
  public var sandbox: Sandbox.Scope {
    get { coders.sandboxScope }
    set { coder = coders.sandboxed(in: coders.sandbox ?? .shared, newValue) }
  }
}

extension Sandbox {
  /// The sandbox of configurations that name no other.
  fileprivate static let shared = Sandbox()
}
