import EaselCore
import EaselPixels
import EaselTransformers
import Glibc

/// One filter of thumbor's URLs: the parser, its errors and the guide all follow from it.
struct ThumborFilter: Sendable {
  let name: String
  /// The arguments, as in `red,green,blue`.
  let arguments: String
  /// How many arguments there may be.
  let counts: ClosedRange<Int>
  /// One sentence for the guide.
  let help: String
  let apply: @Sendable (inout ThumborDraft, FilterArguments) throws(ServiceError) -> Void

  init(
    _ name: String, _ arguments: String, _ counts: ClosedRange<Int>, help: String,
    apply: @escaping @Sendable (inout ThumborDraft, FilterArguments) throws(ServiceError) -> Void
  ) {
    self.name = name
    self.arguments = arguments
    self.counts = counts
    self.help = help
    self.apply = apply
  }

  var form: String { "\(name)(\(arguments))" }

  static let all: [ThumborFilter] = size + colors + shapes + watermarks + file

  static let byName: [String: ThumborFilter] = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// Filters of thumbor that this server does not have, with the reason.
  static let refused: [String: String] = [
    "autojpg": "use the formats that the server may choose, or format(jpeg)",
    "curve": "curves are not computed; use brightness, contrast or rgb",
    "equalize": "histograms are not evened out; use contrast",
    "extract_focal": "addresses within addresses are not read; use focal",
    "gifv": "videos are not written",
    "noise": "noise is not made",
    "red_eye": "eyes are not found",
  ]

  static func unknown(_ name: Substring) -> ServiceError {
    if let reason = refused[String(name)] {
      return ServiceError(400, "The filter \(name) is not known here: \(reason).")
    }
    return ServiceError(400, "There is no filter '\(ThumborCall.shown(name))'.")
  }
}

extension ThumborFilter {
  // MARK: Size

  private static let size: [ThumborFilter] = [
    ThumborFilter(
      "fidelity", "name", 1...1,
      help:
        "The care with which the picture becomes smaller: fast, faithful, which averages light, or exact, which takes "
        + "all pixels."
    ) { draft, given throws(ServiceError) in
      guard let fidelity = Fidelity(named: try given.text(0)) else { throw given.wrong(0, "fast, faithful or exact") }
      draft.order.fidelity = fidelity
    },
    ThumborFilter("focal", "leftxtop:rightxbottom", 1...1, help: "The area of the original that a cut keeps.") {
      draft, given throws(ServiceError) in
      guard let area = ThumborCrop(area: try given.text(0)) else {
        throw given.wrong(0, "an area with a width and a height")
      }
      draft.focalAreas.append(area)
    },
    ThumborFilter("no_upscale", "", 0...0, help: "Makes no side longer than that of the picture.") { draft, _ in
      draft.size.neverEnlarges = true
    },
    ThumborFilter("stretch", "", 0...0, help: "Stretches the picture to the size and cuts nothing off.") { draft, _ in
      if draft.size.fitting == .cover { draft.size.fitting = .stretch }
    },
    ThumborFilter("upscale", "", 0...0, help: "Enlarges a picture that is smaller than the size of fit-in.") {
      draft, _ in draft.size.enlarges = true
    },
    ThumborFilter("proportion", "share", 1...1, help: "Reduces the picture to a share of its sides, from 0.01 to 1.") {
      draft, given throws(ServiceError) in
      let share = try given.number(0, 0.01...1)
      if share < 1 { draft.append(TransformerPipeline.custom(Proportion(share: share))) }
    },
  ]

  // MARK: Colours

  /// A step that multiplies red, green and blue, and adds to them; 1 is white.
  private static func mix(_ factors: [Double], adding amounts: [Double]) -> TransformerPipeline {
    guard factors != [1, 1, 1] || amounts != [0, 0, 0] else { return .identity }
    var rows = Bitmap.ColorMatrix.identity.rows
    for index in 0..<3 {
      rows[index][index] = factors[index]
      rows[index][4] = amounts[index]
    }
    return .colorMatrix(Bitmap.ColorMatrix(rows: rows))
  }

  /// A step that keeps this share of the colour, with the weights of thumbor (BT.601) for the grey that replaces it.
  private static func colorfulness(_ share: Double) -> TransformerPipeline {
    guard share != 1 else { return .identity }
    var rows = Bitmap.ColorMatrix.identity.rows
    for row in 0..<3 {
      for (column, weight) in [0.299, 0.587, 0.114].enumerated() {
        // In millionths, so that the key is short.
        let value = weight * (1 - share) + (row == column ? share : 0)
        rows[row][column] = (value * 1_000_000).rounded() / 1_000_000
      }
    }
    return .colorMatrix(Bitmap.ColorMatrix(rows: rows))
  }

  /// The part of white that thumbor adds for a percentage: whole steps of 8 bits.
  private static func amount(_ percent: Int) -> Double { Double(255 * percent / 100) / 255 }

  private static let percent = -100...100

  private static let colors: [ThumborFilter] = [
    ThumborFilter("background_color", "color", 1...1, help: "Puts a colour behind transparent pixels.") {
      draft, given throws(ServiceError) in
      let color = try given.color(0)
      if color.alpha > 0 { draft.append(.background(color)) }
    },
    ThumborFilter("brightness", "percent", 1...1, help: "Adds a percentage of white, from -100 to 100.") {
      draft, given throws(ServiceError) in
      let amount = amount(try given.integer(0, percent))
      draft.append(mix([1, 1, 1], adding: [amount, amount, amount]))
    },
    ThumborFilter(
      "colorize", "red,green,blue,color", 4...4,
      help: "Moves red, green and blue towards a colour, each by a percentage."
    ) { draft, given throws(ServiceError) in
      let color = try given.color(3)
      var factors = [1.0, 1, 1]
      var amounts = [0.0, 0, 0]
      for (index, component) in [color.red, color.green, color.blue].enumerated() {
        let share = Double(try given.integer(index, 0...100)) / 100
        factors[index] = 1 - share
        amounts[index] = share * Double(component) / 255
      }
      draft.append(mix(factors, adding: amounts))
    },
    ThumborFilter("contrast", "percent", 1...1, help: "Moves colours away from grey, by -100 to 100.") {
      draft, given throws(ServiceError) in
      let sum = try given.integer(0, percent) + 100
      // thumbor squares it, in whole percent.
      if sum != 100 { draft.append(.contrast(Double(sum * sum / 100) / 100)) }
    },
    ThumborFilter("grayscale", "", 0...0, help: "Removes the colour.") { draft, _ in draft.append(colorfulness(0)) },
    ThumborFilter(
      "rgb", "red,green,blue", 3...3, help: "Adds to red, green and blue, each a percentage from -100 to 100."
    ) { draft, given throws(ServiceError) in
      let amounts = [
        amount(try given.integer(0, percent)), amount(try given.integer(1, percent)),
        amount(try given.integer(2, percent)),
      ]
      draft.append(mix([1, 1, 1], adding: amounts))
    },
    ThumborFilter("saturation", "factor", 1...1, help: "Makes colours stronger; 1 changes nothing and 0 leaves grey.") {
      draft, given throws(ServiceError) in
      draft.append(colorfulness(try given.number(0, 0...100)))
    },
  ]

  // MARK: Shapes

  private static let longestBlur = 150

  /// The standard deviation of thumbor's blur, whose weights end at the radius.
  private static func deviation(radius: Int, sigma: Double) -> Double {
    let sigma = sigma == 0 ? Double(radius) : sigma
    var (weights, squares) = (1.0, 0.0)
    for distance in 1...min(radius, longestBlur) {
      let square = Double(distance * distance)
      let weight = 2 * exp(-square / (2 * sigma * sigma))
      weights += weight
      squares += weight * square
    }
    // In thousandths, so that the key is the same on all machines.
    return ((squares / weights).squareRoot() * 1000).rounded() / 1000
  }

  private static let shapes: [ThumborFilter] = [
    ThumborFilter("blur", "radius,sigma", 1...2, help: "Blurs; without a sigma the radius counts as one too.") {
      draft, given throws(ServiceError) in
      let radius = try given.integer(0, 1...1000)
      let blur = deviation(radius: radius, sigma: given.has(1) ? try given.number(1, 0...1000) : 0)
      if blur > 0 { draft.append(.blur(blur)) }
    },
    ThumborFilter(
      "convolution", "matrix,columns,normalize", 2...3,
      help:
        "Makes each pixel of its neighbours: the numbers of the matrix row by row, with semicolons between, divided by "
        + "their sum unless false follows. Rows and columns are odd, at most 15."
    ) { draft, given throws(ServiceError) in
      let numbers = try given.numbers(0, -1_000_000...1_000_000)
      let columns = try given.integer(1, 1...15)
      guard numbers.count.isMultiple(of: columns), columns % 2 == 1, numbers.count / columns % 2 == 1,
        numbers.count / columns <= 15
      else { throw given.wrong(1, "columns that make odd rows and columns of the numbers, at most 15") }
      let matrix = stride(from: 0, to: numbers.count, by: columns).map { Array(numbers[$0..<$0 + columns]) }
      draft.append(.convolution(matrix, normalizes: try given.flag(2, default: true)))
    },
    ThumborFilter(
      "fill", "color,fill_transparent", 1...2,
      help:
        "Adds bars of a colour up to the size, and puts it behind transparent pixels if true follows. auto is the mean "
        + "colour of the picture, and blur the picture itself, stretched and blurred."
    ) { draft, given throws(ServiceError) in
      let isBehind = try given.flag(1, default: false)
      if let filling = (try? given.text(0)).flatMap(PictureBars.Filling.init(rawValue:)) {
        return draft.append(draft.size.bars(of: filling, isBehind: isBehind))
      }
      let color = try given.color(0)
      draft.append(draft.size.bars(color))
      if isBehind, color.alpha > 0 { draft.append(.background(color)) }
    },
    ThumborFilter(
      "rotate", "degrees", 1...1,
      help: "Turns counter-clockwise by a multiple of 90 degrees; other angles have no effect, as in thumbor."
    ) { draft, given throws(ServiceError) in
      let degrees = try given.integer(0, -3600...3600)
      guard degrees.isMultiple(of: 90) else { return }
      let turn = (degrees % 360 + 360) % 360
      if turn != 0 { draft.append(.rotate(degrees: Double(turn))) }
    },
    ThumborFilter(
      "round_corner", "radius,red,green,blue,transparent", 4...5,
      help:
        "Rounds the corners and fills them with a colour, or with nothing if true follows. 30|20 stands for ellipses with "
        + "another radius upwards."
    ) { draft, given throws(ServiceError) in
      // The second radius is that of the vertical axis.
      let radii = try given.text(0).split(separator: "|", omittingEmptySubsequences: false)
      let range = 0...1_000_000
      guard radii.count <= 2, let radius = ThumborNumber.integer(radii[0], range),
        let upwards = ThumborNumber.integer(radii[radii.count - 1], range)
      else { throw given.wrong(0, "one radius, or two with | between them") }
      let color = PixelColor(
        red: UInt8(try given.integer(1, 0...255)), green: UInt8(try given.integer(2, 0...255)),
        blue: UInt8(try given.integer(3, 0...255)))
      let isTransparent = try given.flag(4, default: false)
      guard radius > 0, upwards > 0 else { return }
      draft.append(
        radius == upwards
          ? .roundCorners(Double(radius)) : .custom(EllipticCorners(horizontally: radius, vertically: upwards)))
      if !isTransparent { draft.append(.background(color)) }
    },
    ThumborFilter(
      "sharpen", "amount,radius,luminance_only", 3...3,
      help: "Sharpens edges of this width; the third argument has no effect."
    ) { draft, given throws(ServiceError) in
      let (amount, radius) = (try given.number(0, 0...100), try given.number(1, 0...100))
      _ = try given.flag(2, default: false)
      if amount > 0, radius > 0 { draft.append(.sharpen(amount, radius: radius)) }
    },
  ]

  // MARK: The file

  private static let file: [ThumborFilter] = [
    ThumborFilter(
      "cache_tags", "tag,...", 1...SourceTags.most,
      help: "Tags by which the result can be purged, sent as Cache-Tag too."
    ) { draft, given throws(ServiceError) in
      for index in 0..<SourceTags.most where given.has(index) {
        let tag = try given.text(index)
        guard SourceTags.isTag(tag) else { throw given.wrong(index, "tags of visible ASCII") }
        if !draft.order.cacheTags.contains(tag) { draft.order.cacheTags.append(tag) }
      }
    },
    ThumborFilter("cover", "", 0...0, help: "Uses only the first frame of a moving picture.") { draft, _ in
      draft.order.frameCount = 1
    },
    ThumborFilter(
      "damaged", "policy", 1...1, help: "Whether a damaged picture is shown: refuse, whole or show."
    ) { draft, given throws(ServiceError) in
      guard let damaged = DamagePolicy(rawValue: try given.text(0)) else {
        throw given.wrong(0, "refuse, whole or show")
      }
      draft.order.damaged = damaged
    },
    ThumborFilter("format", "name", 1...1, help: "The format, such as webp.") { draft, given throws(ServiceError) in
      guard let format = draft.formats.format(named: try given.text(0)) else {
        throw given.wrong(0, "a format such as webp")
      }
      draft.order.format = format
    },
    ThumborFilter("max_age", "seconds", 1...1, help: "The time for which clients may keep the picture.") {
      draft, given throws(ServiceError) in draft.order.maxAge = try given.integer(0, 0...1_000_000_000)
    },
    ThumborFilter("max_bytes", "bytes", 1...1, help: "The most bytes; quality and then size are reduced to reach it.") {
      draft, given throws(ServiceError) in
      let most = try given.integer(0, 0...1_000_000_000)
      draft.order.maxBytes = most == 0 ? nil : most
    },
    ThumborFilter("quality", "percent", 1...1, help: "The quality from 1 to 100; 0 for the format's own.") {
      draft, given throws(ServiceError) in
      let percent = try given.integer(0, 0...100)
      draft.order.quality = percent == 0 ? nil : Double(percent) / 100
    },
    ThumborFilter("strip_exif", "", 0...0, help: "Removes EXIF and XMP.") { draft, _ in
      draft.order.keepsMetadata = false
    },
    ThumborFilter(
      "strip_icc", "", 0...0, help: "Has no effect, because pictures are converted to sRGB in any case."
    ) { _, _ in },
  ]
}
