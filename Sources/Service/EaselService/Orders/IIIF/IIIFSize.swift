import EaselCore

/// The size that a URL gives the part of a picture: `max`, `w,`, `,h`, `pct:n`, `w,h` or `!w,h`, each also after `^`.
struct IIIFSize: Sendable {
  private enum Form: Sendable {
    case most
    /// From 0 to 100, or more where pictures may be enlarged.
    case percentage(Double)
    /// A side of 0 follows from the other one.
    case sides(PixelSize)
    case box(PixelSize)
  }

  private let form: Form
  private let enlarges: Bool
  private let text: String

  private static let mostPixels = 1_000_000

  init(_ text: String) throws(ServiceError) {
    self.text = text
    enlarges = text.hasPrefix("^")
    let rest = text.dropFirst(enlarges ? 1 : 0)
    if rest == "max" {
      form = .most
    } else if rest.hasPrefix("pct:") {
      guard let number = GrammarNumber.decimal(rest.dropFirst(4), 0...1_000_000), number > 0 else {
        throw Self.wrong(text)
      }
      form = .percentage(number)
    } else {
      let isBox = rest.hasPrefix("!")
      let parts = rest.dropFirst(isBox ? 1 : 0).split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw Self.wrong(text) }
      let sides = parts.map { $0.isEmpty ? 0 : GrammarNumber.whole($0, 1...Self.mostPixels) }
      guard let width = sides[0], let height = sides[1], width > 0 || height > 0, !isBox || width > 0 && height > 0
      else { throw Self.wrong(text) }
      let size = PixelSize(width: width, height: height)
      form = isBox ? .box(size) : .sides(size)
    }
  }

  private static func wrong(_ text: String) -> ServiceError {
    ServiceError(
      400,
      "The size must be max, w, or ,h or w,h or !w,h in pixels or pct:n, each also after ^, not "
        + "'\(GrammarAddress.shown(text))'.")
  }

  /// The size of the result before it is turned.
  ///
  /// Larger ones than the part are refused, unless the URL allows them. The validator of the API wants that of a box too
  /// that is larger on both sides.
  func target(of part: PixelSize, within limits: IIIFLimits) throws(ServiceError) -> PixelSize {
    let size: PixelSize
    switch form {
    case .most: return limits.largest(part, enlarged: enlarges)
    case .percentage(let percentage):
      let (width, height) = (Double(part.width) * percentage / 100, Double(part.height) * percentage / 100)
      guard max(width, height) < Double(limits.side) + 0.5, min(width, height) >= 0.5 else {
        throw outOfRange(part, limits)
      }
      size = PixelSize(width: Int(width.rounded()), height: Int(height.rounded()))
    case .sides(let sides):
      size = PixelSize(
        width: sides.width > 0 ? sides.width : Self.following(sides.height, part.width, part.height),
        height: sides.height > 0 ? sides.height : Self.following(sides.width, part.height, part.width))
    case .box(let box):
      if !enlarges, box.width > part.width, box.height > part.height { throw tooLarge(part) }
      let most = limits.largest(part, enlarged: enlarges)
      size = part.fitted(in: PixelSize(width: min(box.width, most.width), height: min(box.height, most.height)))
    }
    guard size.width >= 1, size.height >= 1, limits.allow(size) else { throw outOfRange(part, limits) }
    guard enlarges || part.covers(size) else { throw tooLarge(part) }
    return size
  }

  private static func following(_ side: Int, _ own: Int, _ other: Int) -> Int {
    Int((Double(side) * Double(own) / Double(other)).rounded())
  }

  private func tooLarge(_ part: PixelSize) -> ServiceError {
    ServiceError(
      400,
      "The size \(GrammarAddress.shown(text)) is larger than the region, which is \(part); write ^ before it to "
        + "enlarge.")
  }

  private func outOfRange(_ part: PixelSize, _ limits: IIIFLimits) -> ServiceError {
    ServiceError(
      400,
      "The size \(GrammarAddress.shown(text)) of a region of \(part) has a side of no pixels, or more than "
        + "\(limits.side) pixels on a side, or more than \(limits.pixels) in all.")
  }

  static func canonicalText(_ target: PixelSize, of part: PixelSize, within limits: IIIFLimits) -> String {
    if target == limits.largest(part, enlarged: false) { return "max" }
    return "\(part.covers(target) ? "" : "^")\(target.width),\(target.height)"
  }
}
