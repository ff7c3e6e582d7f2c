import EaselCore
import EaselService
import EaselTestSupport

/// The rules of every grammar of URLs.
public struct URLGrammarContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The name is a word that a setting can have: small letters, digits and dashes.
    case nameIsAWord
    /// Known addresses name the known sources.
    case sourcesAreRight
    /// An address gives the same order each time, on every thread.
    case ordersAreStable
    /// Addresses that mean the same have the same key, and those that mean different pictures have not.
    case keysFollowFromTheMeaning
    /// An address that is not understood is an error with a status from 400 to 499, which names what is wrong.
    case errorsNameTheMistake
    /// Whatever an address is, it gives an order with a source or an error with a status from 400 to 599.
    case everyAddressHasAnAnswer
    /// An order is completed for every size of a picture, with a part that lies inside of it, or refused.
    case partsLieInside
    /// A grammar that reads no queries gives the same order with one.
    case queriesMeanNothingUnlessRead
    /// Every call returns.
    case ends
  }

  private let grammar: any URLGrammar
  private let sources: [String: String]
  private let meanings: [[String]]
  private let mistakes: [String: String]
  private let patience: Duration

  /// Creates the suite.
  ///
  /// `sources` has the source of each known address; `meanings` groups of addresses, of which those in one group mean the
  /// same and those of two groups do not; `mistakes` a text that the error about each address must have. Addresses begin
  /// with the slash after the prefix. Without a `patience`, a step that hangs breaks the contract after two minutes.
  public init(
    _ grammar: any URLGrammar, sources: [String: String], meanings: [[String]] = [], mistakes: [String: String] = [:],
    patience: Duration? = nil
  ) {
    self.grammar = grammar
    self.sources = sources
    self.meanings = meanings
    self.mistakes = mistakes
    self.patience = patience ?? .ofContracts
  }

  /// Returns the rules that the grammar breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    await steps.onThread("Reading its name") {
      let isWord =
        !grammar.name.isEmpty
        && grammar.name.utf8.allSatisfy { byte in
          (97...122).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
        }
      findings.require(isWord, .nameIsAWord, "The name is '\(grammar.name)'.")
    }
    await steps.onThread("Reading known addresses") { checkSources(findings) }
    await steps.run("Reading addresses on many threads") {
      let orders = sources.keys.sorted().map { (address: $0, facts: facts(of: $0)) }
      await Waiting.onThreads(4) { _ in
        for (address, known) in orders {
          findings.require(self.facts(of: address) == known, .ordersAreStable, "\(address) has another order now.")
        }
      }
    }
    await steps.onThread("Comparing addresses") { checkMeanings(findings) }
    await steps.onThread("Reading wrong addresses") { checkMistakes(findings) }
    await steps.onThread("Reading addresses of all kinds") { checkAnything(findings) }
    return findings.violations
  }

  // MARK: Rules

  private func checkSources(_ findings: Findings<Rule>) {
    for (address, source) in sources {
      do throws(ServiceError) {
        let order = try grammar.order(at: GrammarAddress(address))
        findings.require(
          order.source == source, .sourcesAreRight, "\(address) names \(order.source) and not \(source).")
        findings.require(
          order.expires.map { $0 > 0 } ?? true, .sourcesAreRight, "\(address) expires before time began.")
        checkCompletion(of: order, at: address, findings)
      } catch {
        findings.add(.sourcesAreRight, "\(address) is refused: \(error.message)")
      }
      guard !grammar.traits.contains(.readsQuery) else { continue }
      findings.require(
        facts(of: address + "?x=1") == facts(of: address), .queriesMeanNothingUnlessRead,
        "\(address) has another order with a query.")
    }
  }

  private func checkMeanings(_ findings: Findings<Rule>) {
    var seen: [Facts: String] = [:]
    for group in meanings {
      guard let first = group.first else { continue }
      let known = facts(of: first)
      for address in group {
        findings.require(
          facts(of: address) == known && known.isOrder, .keysFollowFromTheMeaning,
          "\(address) and \(first) mean the same, and have different orders.")
      }
      if let other = seen.updateValue(first, forKey: known) {
        findings.add(.keysFollowFromTheMeaning, "\(first) and \(other) mean different pictures, and have one key.")
      }
    }
  }

  private func checkMistakes(_ findings: Findings<Rule>) {
    for (address, text) in mistakes {
      switch facts(of: address) {
      case .order: findings.add(.errorsNameTheMistake, "\(address) is understood.")
      case .refused(let status, let message):
        findings.require(
          (400...499).contains(status) && message.contains(text), .errorsNameTheMistake,
          "\(address) is refused with \(status) and '\(message)', which does not say '\(text)'.")
      }
    }
  }

  private func checkAnything(_ findings: Findings<Rule>) {
    let known = sources.keys.sorted()
    let cut = known.flatMap { address in address.indices.map { String(address[..<$0]) } }
    let changed = known.flatMap { address in
      ["%", "//", "\u{0}", "\u{e9}", "%00", "%ff", ":", "=", ",", "-1", "99999999999999999999"].map { address + $0 }
        + [address.replacing("/", with: "%2F"), address.uppercased(), "/" + address]
    }
    for address in Self.addresses + cut + changed {
      findings.noteAnswer()
      switch facts(of: address) {
      case .order(let order):
        findings.require(!order.source.isEmpty, .everyAddressHasAnAnswer, "\(address) has an order without a source.")
      case .refused(let status, let message):
        findings.require(
          (400...599).contains(status) && !message.isEmpty, .everyAddressHasAnAnswer,
          "\(address) is refused with \(status) and '\(message)'.")
      }
    }
  }

  private func checkCompletion(of order: ImageOrder, at address: String, _ findings: Findings<Rule>) {
    guard let completion = order.completion else { return }
    for size in Self.sizes {
      do throws(ServiceError) {
        let whole = try completion(size)
        findings.require(
          whole.completion == nil, .partsLieInside, "The order of \(address) is not complete for \(size).")
        guard let part = whole.region else { continue }
        findings.require(
          !part.isEmpty && part.intersection(PixelRect(covering: size)) == part, .partsLieInside,
          "The part of \(address) lies outside of a picture of \(size).")
      } catch {
        findings.require(
          (400...499).contains(error.status), .partsLieInside, "\(address) is refused with \(error.status) for \(size)."
        )
      }
    }
  }

  // MARK: Facts

  /// All that an order decides, or the error in its place.
  private enum Facts: Hashable {
    case order(Order)
    case refused(Int, String)

    struct Order: Hashable {
      let source: String
      let answer: ImageOrder.Content
      let format: ImageFormat?
      let quality: Double?
      let frameCount: Int?
      let keepsMetadata: Bool?
      /// For each of some sizes.
      let keys: [String]
    }

    var isOrder: Bool { if case .order = self { true } else { false } }
  }

  private func facts(of address: String) -> Facts {
    do throws(ServiceError) {
      let order = try grammar.order(at: GrammarAddress(address))
      var keys: [String] = []
      for size in Self.sizes { keys.append(Self.key(of: order, for: size)) }
      return .order(
        Facts.Order(
          source: order.source, answer: order.answer, format: order.format, quality: order.quality,
          frameCount: order.frameCount, keepsMetadata: order.keepsMetadata, keys: keys))
    } catch {
      return .refused(error.status, error.message)
    }
  }

  private static func key(of order: ImageOrder, for size: PixelSize) -> String {
    do throws(ServiceError) {
      let whole = try order.completion?(size) ?? order
      return try whole.pixelKey()
    } catch {
      return "\(error.status)"
    }
  }

  private static let sizes = [
    PixelSize(width: 1, height: 1), PixelSize(width: 640, height: 480), PixelSize(width: 30_001, height: 4_000),
  ]

  private static let addresses = [
    "", "/", "//", "/%", "/a", "/a/", "/a/b/c/d/e/f", "/?", "/?a", "/?a=b&a=b", "/../..", "/\u{0}", "/" + longText,
    "/a?" + longText, "/%2F", "/a=1,b=2/https://host/a.jpg", "/unsafe/plain/https://host/a.jpg", "/300x200/host/a.jpg",
  ]

  private static let longText = String(repeating: "x", count: 20_000)
}
