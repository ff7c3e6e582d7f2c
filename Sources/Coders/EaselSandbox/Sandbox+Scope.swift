import EaselCore
import EaselFormats

extension Sandbox {
  /// The formats that are decoded in a sandbox.
  public enum Scope: String, CaseIterable, Sendable {
    /// All formats.
    case all
    /// The formats that are rarer, younger or less tested, such as AVIF.
    case risky
    /// No format, except those whose coders decode in no other place.
    case off
  }
}

extension CoderRegistry {
  /// The same registry with the coders of these formats in a sandbox, and the others in none.
  package func sandboxed(in sandbox: Sandbox, _ scope: Sandbox.Scope) -> CoderRegistry {
    CoderRegistry(coders.map(\.outsideSandbox)).sandboxed(in: sandbox) { coder in
      switch scope {
      case .all: true
      case .risky: WorkerGroup(of: coder) != .common
      case .off: coder.staysInSandbox
      }
    }
  }

  /// The formats that this registry decodes in a sandbox.
  package var sandboxScope: Sandbox.Scope {
    let free = coders.filter { !$0.outsideSandbox.staysInSandbox }
    let inside = free.count { $0 is Sandbox.Coder }
    return inside == 0 ? .off : inside == free.count ? .all : .risky
  }

  /// The sandbox of the first coder that has one.
  package var sandbox: Sandbox? { coders.lazy.compactMap { ($0 as? Sandbox.Coder)?.sandbox }.first }
}

extension ImageCoder {
  /// The coder inside, if this one decodes in a sandbox.
  fileprivate var outsideSandbox: any ImageCoder { (self as? Sandbox.Coder)?.base ?? self }

  fileprivate var staysInSandbox: Bool { capability((any SandboxGuest).self)?.staysInSandbox ?? false }
}
