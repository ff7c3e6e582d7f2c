import Easel
import EaselService
import EaselServiceTestSupport
import Testing

/// A grammar that was written with the guide and nothing else, seen as users see it.
struct WeservGrammarTests {
  private func order(_ target: String) throws -> ImageOrder { try WeservGrammar().order(at: GrammarAddress(target)) }

  @Test func itKeepsTheContract() async {
    let contract = URLGrammarContract(
      WeservGrammar(), sources: ["?url=example.com/a.jpg&w=300": "https://example.com/a.jpg"],
      meanings: [
        ["?url=example.com/a.jpg&w=300&h=200", "?h=200&w=300&url=https%3A%2F%2Fexample.com%2Fa.jpg"],
        ["?url=example.com/a.jpg&w=300&h=200&fit=cover"],
      ],
      mistakes: ["?url=a&x=1": "'x'", "?w=1": "url", "?url=a&fit=no": "inside", "?url=a&w=0x10": "whole number"])
    #expect(await contract.check() == [])
  }

  @Test func anOrderSaysWhatTheParametersSay() throws {
    let order = try order("?url=example.com/a.jpg&w=300&h=200&fit=cover&q=80&output=webp&n=1")
    #expect(order.recipe.width == 300 && order.recipe.height == 200 && order.recipe.fitting == .fill)
    #expect(order.recipe.enlarges && order.quality == 0.8 && order.format == .webp && order.frameCount == 1)
  }
}
