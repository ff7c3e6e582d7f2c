import EaselService
import Testing

struct ImageOrderTests {
  @Test func anOrderOfNothingButASourceChangesNothing() throws {
    let order = ImageOrder(source: "https://example.com/a.jpg")
    guard case .recipe(let recipe, watermark: nil) = order.pixels else {
      Issue.record("the order has steps")
      return
    }
    #expect(try recipe.pipeline().members.isEmpty)
    #expect(order.format == nil && order.answer == .picture)
  }
}
