import EaselCore
import EaselTransformers

/// The values of all options of a URL, in whatever order they came.
///
/// Options of the pixels belong to one link of a chain, and are reached as if they were properties of the draft.
@dynamicMemberLookup
struct ImgproxyDraft {
  /// The names of formats; nil to take any, where the coders are not known yet.
  let formats: FormatNames?
  var order = ImageOrder(source: "")
  private var links = [ImgproxyLink()]
  /// The link that options change now.
  private(set) var place = 0

  private static let mostLinks = 16

  init(_ formats: FormatNames?) { self.formats = formats }

  subscript<Value>(dynamicMember path: WritableKeyPath<ImgproxyLink, Value>) -> Value {
    get { links[place][keyPath: path] }
    set { links[place][keyPath: path] = newValue }
  }

  /// Lets options change the next link, which works on the result of this one.
  mutating func moveOn() throws(ServiceError) {
    guard place + 1 < Self.mostLinks else {
      throw ServiceError(400, "The address has more than \(Self.mostLinks) pipelines.")
    }
    place += 1
    if place == links.count { links.append(ImgproxyLink()) }
  }

  /// Lets options change an earlier link again.
  mutating func goBack(to place: Int) { self.place = place }

  /// Takes the format of the result, or the choice among all by `best`; returns false if there is none of this name.
  mutating func takeFormat(named name: Substring?) -> Bool {
    let format = name == Self.best ? nil : name.flatMap(format(named:))
    (order.format, order.takesSmallest) = (format, name == Self.best)
    return name == nil || name == Self.best || format != nil
  }

  private static let best: Substring = "best"

  func format(named name: Substring) -> ImageFormat? {
    guard let formats else { return ImageFormat(mimeType: "image/\(name)") }
    return formats.format(named: name)
  }

  /// The order that the options make together.
  func finished(source: String) throws(ServiceError) -> ImageOrder {
    var finished: [ImageOrder.Link] = []
    for link in links { finished.append(try link.finished()) }
    var order = order
    order.source = source
    order.pixels =
      finished.count == 1 ? .recipe(finished[0].recipe, watermark: finished[0].watermark) : .chain(finished)
    return order
  }
}
