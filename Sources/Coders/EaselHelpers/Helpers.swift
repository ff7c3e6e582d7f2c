import EaselCore
import EaselSandbox

/// Coders that are programs of their own, each in its sandbox.
///
/// A helper starts with the first file of its formats. It decodes under the rules of every sandbox: limits of memory and
/// of processor time, no files, no network. There is no setting with which it would decode elsewhere.
///
/// ```swift
/// let helpers = Helpers(HelperCards())
/// try helpers.start()
/// configuration.coder = CoderRegistry.standard.adding(helpers)
/// ```
public struct Helpers: Sendable {
  /// The coders; those to ask before others are last.
  public let coders: [any ImageCoder]

  let askedLast: [any ImageCoder]
  let askedFirst: [any ImageCoder]
  private let sandboxes: [(program: String, sandbox: Sandbox)]

  /// Makes a coder from each card.
  ///
  /// The configuration is that of each helper's sandbox, except for the program.
  public init(_ cards: HelperCards, configuration: Sandbox.Configuration = Sandbox.Configuration()) {
    var sandboxes: [(program: String, sandbox: Sandbox)] = []
    func coder(_ card: HelperCard) -> any ImageCoder {
      if let known = sandboxes.first(where: { $0.program == card.program }) {
        return Sandbox.Coder(HelperCoder(card: card), in: known.sandbox)
      }
      var configuration = configuration
      configuration.program = card.program
      sandboxes.append((card.program, Sandbox(configuration)))
      return Sandbox.Coder(HelperCoder(card: card), in: sandboxes[sandboxes.count - 1].sandbox)
    }
    askedLast = cards.cards.filter { !$0.isAskedFirst }.map(coder)
    askedFirst = cards.cards.filter(\.isAskedFirst).map(coder)
    coders = askedLast + askedFirst
    self.sandboxes = sandboxes
  }

  /// Starts the programs; throws if one of them cannot be a worker, with a sentence about the reason.
  ///
  /// Servers call this function when they start. It blocks for some tens of milliseconds for each program.
  public func start() throws(ImageError) {
    for (_, sandbox) in sandboxes { try sandbox.start() }
  }
}

extension CoderRegistry {
  /// This registry with the coders of helpers, which are asked after all others unless their cards say otherwise.
  ///
  /// A helper whose name one of the coders has already is left out.
  public func adding(_ helpers: Helpers) -> CoderRegistry {
    let names = Set(coders.map(\.identifier))
    func new(_ coders: [any ImageCoder]) -> [any ImageCoder] { coders.filter { !names.contains($0.identifier) } }
    return CoderRegistry(new(helpers.askedLast) + coders + new(helpers.askedFirst))
  }
}
