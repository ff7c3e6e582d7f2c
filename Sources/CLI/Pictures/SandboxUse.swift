import EaselEverything
import EaselHelpers
import EaselObserving
import EaselSupport
import FoundationEssentials

/// The formats that are decoded in a sandbox.
struct SandboxUse: Hashable, Sendable {
  var scope: Sandbox.Scope
  var isBestEffort = false
  /// The most pictures of one process.
  var picturesPerProcess = 1
  /// False if the user has not chosen the scope.
  ///
  /// In this case, formats such as SVG are decoded in a sandbox even if it is off for all others.
  var isChosen = true

  /// The coders of the program, with the chosen ones in a sandbox; those of helpers are always in one.
  var coders: CoderRegistry { own.adding(helpers) }

  /// The coder of the texts in URLs of the server; nil if the user wants no sandbox.
  var textCoder: Sandbox.Coder? { scope == .off && isChosen ? nil : Sandbox.Coder(TextCoder(), in: sandbox) }

  private var own: CoderRegistry {
    switch scope {
    case .all: CoderRegistry.everything.sandboxed(in: sandbox)
    case .risky: CoderRegistry.everything.sandboxingRiskyFormats(in: sandbox)
    case .off where isChosen: .programWithoutSandbox
    case .off: CoderRegistry.everything.sandboxed(in: sandbox) { $0.decodesOnlyInSandbox }
    }
  }

  /// Starts the sandbox if it is wanted, and the helpers; throws if there can be no sandbox.
  func start() throws(ImageError) {
    if scope != .off { try sandbox.start() }
    try helpers.start()
  }

  /// The sandbox of the whole program, which starts with the first picture that needs it.
  private var sandbox: Sandbox { Self.made(Self.sandboxes, for: self) { Sandbox($0) } }

  /// The helpers of the whole program, each of which starts with its first picture.
  private var helpers: Helpers { Self.made(Self.allHelpers, for: self) { Helpers(.program, configuration: $0) } }

  private static let sandboxes = Locked<[SandboxUse: Sandbox]>([:])
  private static let allHelpers = Locked<[SandboxUse: Helpers]>([:])

  private static func made<Made>(
    _ known: Locked<[SandboxUse: Made]>, for use: SandboxUse, _ make: (Sandbox.Configuration) -> Made
  ) -> Made {
    var key = use
    (key.scope, key.isChosen) = (.all, true)
    return known.withLock { known in
      let made = known[key] ?? make(configuration(of: key))
      known[key] = made
      return made
    }
  }

  /// Limits the memory of each process in the sandbox; must be called before the first picture.
  static func bound(memoryBytes: Int) { chosenBytes.withLock { $0 = memoryBytes } }

  /// Makes spans of all work in the sandbox that belongs to a trace.
  static func trace(to spans: OTLPTraces) { traces.withLock { $0 = spans } }

  private static let traces = Locked<OTLPTraces?>(nil)

  private static let chosenBytes = Locked<Int?>(nil)

  private static func configuration(of use: SandboxUse) -> Sandbox.Configuration {
    var configuration = Sandbox.Configuration()
    (configuration.isBestEffort, configuration.picturesPerProcess) = (use.isBestEffort, use.picturesPerProcess)
    // No command shows a part of a picture.
    configuration.makesPreviews = false
    configuration.beginsWork = { coder, work in
      guard let trace = work.context[.trace], let spans = traces.withLock({ $0 }) else { return nil }
      let span = spans.begin("sandbox \(coder)", under: trace, at: Date())
      return { span.end(at: Date(), [:], nil) }
    }
    if let bytes = chosenBytes.withLock({ $0 }) { configuration.memoryBytes = min(configuration.memoryBytes, bytes) }
    return configuration
  }
}

/// The options that choose what is decoded in a sandbox.
enum SandboxOptions {
  static let sandbox = Option<Sandbox.Scope>.choice(
    "sandbox", "WHICH",
    "Decode in processes that can do nothing else: all formats, only risky ones such as AVIF, or none (off).")
  static let bestEffort = Option<Bool>.flag(
    "sandbox-best-effort", "Use what the system offers of a sandbox, instead of refusing to decode without one.")

  static let reuse = Option<Int>.integer(
    "sandbox-reuse", "N", in: 1...1000,
    "Let a process of the sandbox decode up to N pictures, if all pictures are of one trust. The default is 1.")

  static let all = [sandbox.description, bestEffort.description]

  /// The scope that the arguments choose, or `scope` if they choose none.
  static func use(_ arguments: Arguments, default scope: Sandbox.Scope = .off) throws(UsageError) -> SandboxUse {
    let chosen = try arguments.value(sandbox)
    return SandboxUse(scope: chosen ?? scope, isBestEffort: arguments.has(bestEffort), isChosen: chosen != nil)
  }
}
