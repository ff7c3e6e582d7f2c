import EaselCore

/// The width and the pixel ratio that a browser asks for in fields of its request.
///
/// Both are rounded to steps, so that they do not lead to a variant for each size of a window.
struct ClientHints: Hashable, Sendable {
  /// The names of the fields, for `Vary` and `Accept-CH`.
  static let fields = ["Sec-CH-DPR", "Sec-CH-Width", "DPR", "Width"]

  /// The width in pixels of the screen, divided by the ratio.
  let width: Int?
  let pixelRatio: Double?

  static let widthStep = 64
  private static let mostWidth = 16_384
  private static let ratios: [Double] = [1, 1.5, 2, 3, 4, 8]

  init(_ headers: HTTPHeaders) {
    let ratio = (headers["Sec-CH-DPR"] ?? headers["DPR"]).flatMap(Double.init).flatMap { stated in
      stated > 0 && stated <= 8 ? Self.ratios.first { $0 >= stated } : nil
    }
    pixelRatio = ratio
    width = (headers["Sec-CH-Width"] ?? headers["Width"]).flatMap { Int($0) }.flatMap { stated in
      guard stated > 0, stated <= Self.mostWidth else { return nil }
      let shown = Int((Double(stated) / (ratio ?? 1)).rounded(.up))
      return (shown + Self.widthStep - 1) / Self.widthStep * Self.widthStep
    }
  }

  static let none = ClientHints([:])
}
