import Easel
import EaselService

/// URLs such as `?url=example.com/cat.jpg&w=300&h=200&fit=cover`, written by the guide alone.
struct WeservGrammar: URLGrammar {
  let name = "weserv"
  let traits: URLGrammarTraits = [.readsQuery]

  private static let fittings: [String: (fitting: PixelRecipe.Fitting, enlarges: Bool)] = [
    "inside": (.fit, true), "cover": (.fill, true), "fill": (.force, true), "contain": (.pad, true),
  ]
  private static let formats: [String: ImageFormat] = ["jpg": .jpeg, "png": .png, "webp": .webp, "gif": .gif]

  func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder {
    guard address.path == "/" else { throw ServiceError(404, "There is nothing at this address.") }
    var values: [String: String] = [:]
    for (name, value) in try address.parameters() {
      guard values.updateValue(value, forKey: name) == nil else {
        throw ServiceError(400, "The parameter \(GrammarAddress.shown(name)) is given twice.")
      }
    }
    guard let source = values.removeValue(forKey: "url"), !source.isEmpty else {
      throw ServiceError(400, "The parameter url is missing.")
    }
    var order = ImageOrder(source: source.contains("://") ? source : "https://" + source)
    order.recipe.fitting = .fit
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { try apply(name, value, to: &order) }
    return order
  }

  private func apply(_ name: String, _ value: String, to order: inout ImageOrder) throws(ServiceError) {
    switch name {
    case "w": order.recipe.width = try number(name, value, 1...4000)
    case "h": order.recipe.height = try number(name, value, 1...4000)
    case "q": order.quality = Double(try number(name, value, 1...100)) / 100
    case "n":
      guard value == "-1" || value == "1" else { throw wrong(name, value, "1 or -1") }
      order.frameCount = value == "1" ? 1 : nil
    case "fit":
      guard let fit = Self.fittings[value] else { throw wrong(name, value, "inside, cover, fill or contain") }
      (order.recipe.fitting, order.recipe.enlarges) = fit
    case "output":
      guard let format = Self.formats[value] else { throw wrong(name, value, "jpg, png, webp or gif") }
      order.format = format
    default: throw ServiceError(400, "There is no parameter '\(GrammarAddress.shown(name))'.")
    }
  }

  private func number(_ name: String, _ text: String, _ range: ClosedRange<Int>) throws(ServiceError) -> Int {
    guard let number = Int(text), range.contains(number), "\(number)" == text else {
      throw wrong(name, text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private func wrong(_ name: String, _ value: String, _ rule: String) -> ServiceError {
    ServiceError(400, "The parameter \(name) takes \(rule), not '\(GrammarAddress.shown(value))'.")
  }
}
