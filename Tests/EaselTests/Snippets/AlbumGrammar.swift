import Easel
import EaselService

// Outside of the tests, because a page shows it in its own column.
struct AlbumGrammar: URLGrammar {
  let name = "albums"
  let traits: URLGrammarTraits = []

  private static let widths = ["small": 160, "page": 800]

  func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder {
    let parts = address.path.dropFirst().split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let width = Self.widths[String(parts[0])] else {
      let shown = GrammarAddress.shown(parts.first ?? "")
      throw ServiceError(400, "The address must begin with /small/ or /page/, not '\(shown)'.")
    }
    var order = ImageOrder(source: "local:///" + (try GrammarAddress.decoded(parts[1])))
    order.recipe.width = width
    return order
  }
}
