import EaselCore
import EaselService
import EaselServiceTestSupport
import EaselSupport
import Testing

/// Each rule of the contract is broken once, by a grammar that keeps the others as far as possible.
struct FlawedGrammarTests {
  @Test(arguments: URLGrammarContract.Rule.allCases.filter { $0 != .ends })
  func aFlawIsFound(_ rule: URLGrammarContract.Rule) async {
    let contract = URLGrammarContract(
      FlawedGrammar(rule), sources: ["/a": "local:///a"], meanings: [["/a", "/%61"], ["/b"]], mistakes: ["/!": "'!'"])
    let violations = await contract.check()
    #expect(violations.contains { $0.rule == rule.rawValue }, "It found \(violations).")
  }

  @Test func aGrammarWithoutAFlawKeepsTheContract() async {
    let contract = URLGrammarContract(
      FlawedGrammar(nil), sources: ["/a": "local:///a"], meanings: [["/a", "/%61"], ["/b"]], mistakes: ["/!": "'!'"])
    #expect(await contract.check() == [])
  }
}

/// A grammar of file names that breaks one rule.
private final class FlawedGrammar: URLGrammar {
  private let flaw: URLGrammarContract.Rule?
  private let asked = Locked(0)

  init(_ flaw: URLGrammarContract.Rule?) { self.flaw = flaw }

  var name: String { flaw == .nameIsAWord ? "A grammar" : "flawed" }
  let traits: URLGrammarTraits = []

  func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder {
    let number = asked.withLock { asked in
      asked += 1
      return asked
    }
    let name = try GrammarAddress.decoded(address.path.dropFirst())
    if flaw == .everyAddressHasAnAnswer, name.isEmpty { return ImageOrder(source: "") }
    if name.isEmpty || name == "!" {
      throw ServiceError(400, flaw == .errorsNameTheMistake ? "No." : "There is no picture '\(name)'.")
    }
    var order = ImageOrder(source: "local:///" + (flaw == .sourcesAreRight ? "x" : name))
    if flaw == .ordersAreStable { order.quality = Double(number) / 1000 }
    if flaw == .keysFollowFromTheMeaning, address.path.contains("%") { order.recipe.width = 7 }
    if flaw == .queriesMeanNothingUnlessRead, address.query != nil { order.recipe.width = 7 }
    if flaw == .partsLieInside {
      let whole = order
      order.completion = { _ throws(ServiceError) in
        var part = whole
        part.region = PixelRect(x: 0, y: 0, width: 100_000, height: 1)
        return part
      }
    }
    return order
  }
}
