import EaselCore
import EaselPixels
import EaselTransformers

/// One filter of thumbor's URLs: the parser and the guide follow from it.
struct ThumborFilter: Sendable {
  let name: String
  /// The arguments, as in `radius,sigma`.
  let arguments: String
  /// One sentence for the guide.
  let help: String
  let apply: @Sendable (inout ThumborDraft, ThumborArguments) throws(ServiceError) -> Void

  init(
    _ name: String, _ arguments: String, _ help: String,
    apply: @escaping @Sendable (inout ThumborDraft, ThumborArguments) throws(ServiceError) -> Void
  ) {
    self.name = name
    self.arguments = arguments
    self.help = help
    self.apply = apply
  }

  static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// Filters of thumbor that this server does not have, with the reason.
  static let refused: [String: String] = [
    "convolution": "matrices of neighbours are not computed", "curve": "curves of colours are not computed",
    "equalize": "histograms are not equalized", "extract_focal": "originals have no addresses of this server",
    "frame": "frames are not drawn; use watermark", "noise": "results must be the same each time",
    "red_eye": "eyes are not found", "distributed_collage": "collages are not made", "gifv": "videos are not made",
    "cover": "use the first frame of a still format",
  ]

  static let all: [ThumborFilter] = [
    ThumborFilter(
      "autojpg", "", "Has no effect: a picture without transparency becomes a JPEG where formats are chosen."
    ) { _, _ in },
    ThumborFilter("background_color", "color", "Puts a colour behind the picture.") {
      draft, given throws(ServiceError) in
      draft.add(.background(try given.color(0)))
    },
    ThumborFilter("blur", "radius,sigma", "Blurs; sigma is the radius unless it is given.") {
      draft, given throws(ServiceError) in
      let radius = try given.number(0, 0...150)
      let sigma = try given.optionalNumber(1, 0...150) ?? radius
      if sigma > 0 { draft.add(.blur(sigma)) }
    },
    ThumborFilter("brightness", "percent", "Makes the picture darker or brighter, from -100 to 100.") {
      draft, given throws(ServiceError) in
      let share = try given.number(0, -100...100) / 100
      draft.add(red: share, green: share, blue: share)
    },
    ThumborFilter("colorize", "red,green,blue,color", "Mixes a colour into each component by a percentage.") {
      draft, given throws(ServiceError) in
      let shares = try [given.number(0, 0...100) / 100, given.number(1, 0...100) / 100, given.number(2, 0...100) / 100]
      let color = try given.color(3)
      let values = [color.red, color.green, color.blue].map { Double($0) / 255 }
      let rows = (0..<3).map { row in
        var weights: [Double] = [0, 0, 0, 0, shares[row] * values[row]]
        weights[row] = 1 - shares[row]
        return weights
      }
      draft.add(.colorMatrix(Bitmap.ColorMatrix(rows: rows + [[0, 0, 0, 1, 0]])))
    },
    ThumborFilter("contrast", "percent", "Makes colours more alike or more different, from -100 to 100.") {
      draft, given throws(ServiceError) in
      let factor = 1 + (try given.number(0, -100...100)) / 100
      if factor != 1 { draft.add(.contrast(factor)) }
    },
    ThumborFilter("fill", "color", "Adds bars of a colour up to the size, and puts it behind the picture.") {
      draft, given throws(ServiceError) in
      draft.fill = try given.color(0)
    },
    ThumborFilter(
      "focal", "left x top : right x bottom", "The part that stays in a cut, as shares such as 0.1x0.2:0.5x0.6."
    ) { draft, given throws(ServiceError) in
      let corners = given[0].split(separator: ":").flatMap { $0.split(separator: "x") }.map { Double($0) }
      guard corners.count == 4, corners.allSatisfy({ $0.map { (0...1).contains($0) } ?? false }) else {
        throw given.wrong(given[0], "four shares such as 0.1x0.2:0.5x0.6")
      }
      let shares = corners.compactMap { $0 }
      draft.focalPoint = ((shares[0] + shares[2]) / 2, (shares[1] + shares[3]) / 2)
    },
    ThumborFilter("format", "name", "The format: jpeg, png, gif or webp.") { draft, given throws(ServiceError) in
      guard let format = ImageFormat(named: given[0]) else { throw given.wrong(given[0], "a format such as webp") }
      draft.order.format = format
    },
    ThumborFilter("grayscale", "", "Removes the colour.") { draft, _ in draft.add(.grayscale) },
    ThumborFilter("max_age", "seconds", "The time for which clients keep the picture.") {
      draft, given throws(ServiceError) in
      draft.order.maxAge = Int(try given.number(0, 0...1_000_000_000))
    },
    ThumborFilter("max_bytes", "bytes", "The most bytes; quality and then size are reduced to reach it.") {
      draft, given throws(ServiceError) in
      draft.order.maxBytes = Int(try given.number(0, 1...1_000_000_000))
    },
    ThumborFilter("no_upscale", "", "Enlarges no picture that is smaller than the size.") { draft, _ in
      draft.enlarges = false
    },
    ThumborFilter("proportion", "share", "Reduces the picture to a share of its size, from 0 to 1.") {
      draft, given throws(ServiceError) in
      var recipe = PixelRecipe()
      recipe.zoomX = try given.number(0, 0.0001...1)
      recipe.zoomY = recipe.zoomX
      do throws(ImageError) {
        draft.add(try recipe.pipeline())
      } catch {
        throw ServiceError(400, error.message)
      }
    },
    ThumborFilter("quality", "percent", "The quality from 1 to 100.") { draft, given throws(ServiceError) in
      draft.order.quality = (try given.number(0, 1...100)) / 100
    },
    ThumborFilter("rgb", "red,green,blue", "Adds a percentage of white to each component, from -100 to 100.") {
      draft, given throws(ServiceError) in
      draft.add(
        red: try given.number(0, -100...100) / 100, green: try given.number(1, -100...100) / 100,
        blue: try given.number(2, -100...100) / 100)
    },
    ThumborFilter("rotate", "degrees", "Turns the picture counter-clockwise.") { draft, given throws(ServiceError) in
      let degrees = try given.number(0, -3600...3600)
      if degrees.truncatingRemainder(dividingBy: 360) != 0 { draft.add(.rotate(degrees: degrees)) }
    },
    ThumborFilter(
      "round_corner", "radius,red,green,blue,transparent", "Rounds the corners; behind them is the colour, or nothing."
    ) { draft, given throws(ServiceError) in
      // Another radius for the height may follow after a bar; corners are round here.
      let radius = given[0].split(separator: "|").first.flatMap { Double($0) } ?? -1
      guard (0...100_000).contains(radius) else { throw given.wrong(given[0], "a radius in pixels") }
      draft.add(.roundCorners(radius))
      guard given[4].isEmpty || ["0", "false"].contains(given[4]) else { return }
      let parts = try [given.number(1, 0...255), given.number(2, 0...255), given.number(3, 0...255)].map { UInt8($0) }
      draft.add(.background(PixelColor(red: parts[0], green: parts[1], blue: parts[2])))
    },
    ThumborFilter("saturation", "factor", "Makes colours paler or stronger; 1 changes nothing.") {
      draft, given throws(ServiceError) in
      let factor = try given.number(0, 0...100)
      if factor != 1 { draft.add(.saturation(factor)) }
    },
    ThumborFilter("sharpen", "amount,radius,luminance_only", "Sharpens edges; luminance_only has no effect.") {
      draft, given throws(ServiceError) in
      let amount = try given.number(0, 0...10)
      if amount > 0 { draft.add(.sharpen(amount, radius: try given.optionalNumber(1, 0.01...100) ?? 1)) }
    },
    ThumborFilter("stretch", "", "Stretches the picture to the size.") { draft, _ in draft.stretches = true },
    ThumborFilter("strip_exif", "", "Removes EXIF and XMP.") { draft, _ in draft.order.keepsMetadata = false },
    ThumborFilter("strip_icc", "", "Has no effect: pictures are converted to sRGB in any case.") { _, _ in },
    ThumborFilter("upscale", "", "Enlarges a picture that is smaller than the size.") { draft, _ in
      draft.enlarges = true
    },
    ThumborFilter(
      "watermark", "url,x,y,transparency,w_ratio,h_ratio",
      "Draws another picture; x and y are pixels, percentages such as 20p, center or repeat, from the right or the bottom if negative."
    ) { draft, given throws(ServiceError) in
      draft.filters.append(.watermark(try given.watermark()))
    },
  ]
}

/// The arguments of a filter, decoded, and the errors about them.
struct ThumborArguments {
  let filter: String
  let values: [String]
  let usage: String

  /// An argument without blanks around it; empty if it was left out.
  subscript(index: Int) -> String {
    values.indices.contains(index) ? String(values[index][...].trimmed) : ""
  }

  func wrong(_ value: String, _ rule: String) -> ServiceError {
    let shown = String(String.UnicodeScalarView(value.unicodeScalars.prefix(40)))
    return ServiceError(
      400, "The filter \(filter) takes \(rule), not '\(shown)'; write it as \(filter)(\(usage)).")
  }

  func number(_ index: Int, _ range: ClosedRange<Double>) throws(ServiceError) -> Double {
    let text = self[index]
    let isPlain = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
    guard isPlain, text.utf8.count <= 24, let value = Double(text), range.contains(value) else {
      throw wrong(text, "a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))")
    }
    return value == 0 ? 0 : value
  }

  func optionalNumber(_ index: Int, _ range: ClosedRange<Double>) throws(ServiceError) -> Double? {
    self[index].isEmpty ? nil : try number(index, range)
  }

  private static func plain(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }

  func color(_ index: Int) throws(ServiceError) -> PixelColor {
    let text = HTTPHeaders.folded(self[index])
    if let color = Self.colors[text] { return color }
    let digits = text.hasPrefix("#") ? String(text.dropFirst()) : text
    guard let color = PixelColor(hexadecimal: digits) else {
      throw wrong(text, "a colour such as white or ff8800")
    }
    return color
  }

  private static let colors: [String: PixelColor] = [
    "white": .white, "black": .black, "transparent": .clear, "red": PixelColor(red: 255, green: 0, blue: 0),
    "green": PixelColor(red: 0, green: 128, blue: 0), "blue": PixelColor(red: 0, green: 0, blue: 255),
    "gray": PixelColor(red: 128, green: 128, blue: 128), "grey": PixelColor(red: 128, green: 128, blue: 128),
    "yellow": PixelColor(red: 255, green: 255, blue: 0), "cyan": PixelColor(red: 0, green: 255, blue: 255),
    "magenta": PixelColor(red: 255, green: 0, blue: 255), "orange": PixelColor(red: 255, green: 165, blue: 0),
  ]

  // MARK: Watermarks

  private enum Place: Equatable {
    case middle, repeated
    case start(TransformerPipeline.Length)
    case end(TransformerPipeline.Length)
  }

  func watermark() throws(ServiceError) -> WatermarkOrder {
    guard !self[0].isEmpty, values.count <= 6 else { throw wrong(self[0], "the address of a picture") }
    var order = WatermarkOrder(source: ThumborReader.address(self[0]))
    let (x, y) = (try place(1), try place(2))
    order.opacity = 1 - (try optionalNumber(3, 0...100) ?? 0) / 100
    let ratios = [try ratio(4), try ratio(5)].compactMap { $0 }
    order.scale = ratios.min()
    if x == .repeated || y == .repeated {
      order.gravity = .northWest
      order.gaps = WatermarkOrder.Gaps(x: .pixels(0), y: .pixels(0))
      return order
    }
    let (column, insetX) = Self.column(x)
    let (row, insetY) = Self.column(y)
    let places: [[TransformerPipeline.Gravity]] = [
      [.northWest, .north, .northEast], [.west, .center, .east], [.southWest, .south, .southEast],
    ]
    order.gravity = places[row][column].inset(x: insetX, y: insetY)
    return order
  }

  private static func column(_ place: Place) -> (Int, TransformerPipeline.Length) {
    switch place {
    case .start(let inset): (0, inset)
    case .middle, .repeated: (1, .pixels(0))
    case .end(let inset): (2, inset)
    }
  }

  private func place(_ index: Int) throws(ServiceError) -> Place {
    let text = self[index]
    if text == "center" { return .middle }
    if text == "repeat" { return .repeated }
    let isShare = text.hasSuffix("p")
    let digits = isShare ? String(text.dropLast()) : text
    guard let number = Int(digits.isEmpty ? "0" : digits), abs(Double(number)) <= 100_000 else {
      throw wrong(text, "pixels, a percentage such as 20p, center or repeat")
    }
    let length: TransformerPipeline.Length =
      isShare ? .share(Double(number.magnitude) / 100) : .pixels(Int(number.magnitude))
    return digits.hasPrefix("-") ? .end(length) : .start(length)
  }

  private func ratio(_ index: Int) throws(ServiceError) -> Double? {
    self[index].isEmpty || self[index] == "none" ? nil : try number(index, 1...1000) / 100
  }
}
