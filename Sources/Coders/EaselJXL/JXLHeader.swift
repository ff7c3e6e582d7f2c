import CEaselJXL
import EaselCoding
import EaselCore
import FoundationEssentials

/// The description that a file contains besides its pixels.
struct JXLHeader {
  let size: PixelSize
  /// The turn that the codestream states.
  ///
  /// The EXIF block does not affect the turn.
  let orientation: ImageMetadata.Orientation
  let bitDepth: Int
  let hasAlpha: Bool
  let isGray: Bool
  private let hasBlack: Bool
  /// True if the picture is an animation, even if it has one frame.
  let moves: Bool
  /// The number of plays; 0 means forever.
  let plays: Int
  private let secondsPerTick: Double
  var metadata = StoredMetadata()
  /// The number of layers so far; one or more layers make a frame.
  private(set) var layerCount = 0
  /// The pixels of all layers so far.
  private var layerPixels = 0
  /// The number of components besides the colours.
  private let extraCount: Int
  /// The display time of each frame of an animation.
  private(set) var delays: [Duration] = []

  /// Reads the header; throws if the picture is over a limit.
  init(_ header: easel_jxl_header, limits: Limits) throws(ImageError) {
    size = PixelSize(width: Int(header.width), height: Int(header.height))
    orientation = ImageMetadata.Orientation(rawValue: Int(header.orientation)) ?? .up
    bitDepth = Int(header.depth)
    hasAlpha = header.alpha_depth > 0
    isGray = header.is_gray
    hasBlack = header.has_black
    extraCount = Int(header.extra_count)
    moves = header.moves
    plays = header.moves ? Int(header.plays) : 0
    let ticks = Double(header.ticks_above) / Double(max(1, header.ticks_below))
    secondsPerTick = ticks > 0 ? 1 / ticks : 0
    try limits.check(frame: size, claimedBy: "JXL: the header")
    // Each extra component takes as much memory as a quarter of an ordinary picture.
    let planes = max(4, 3 + Int(header.extra_count))
    let (samples, overflows) = size.area.multipliedReportingOverflow(by: planes)
    guard !overflows, samples / 4 <= limits.framePixels else {
      throw ImageError(
        .limitExceeded,
        "JXL: the header claims \(header.extra_count) components besides the colours of \(size), as much as a picture "
          + "over the limit of \(limits.framePixels) pixels. Raise Limits.framePixels to allow it.")
    }
  }

  /// Takes the code points of the pixels, or their profile.
  mutating func takeColors(of reader: JXLReader, limits: Limits) throws(ImageError) {
    metadata.color = reader.colors.flatMap(ColorDescription.Coding.init).map { ColorDescription(coding: $0) }
    if metadata.color == nil { metadata.profile = try reader.profile(limits: limits) }
  }

  /// Adds a layer; throws if the layer is over a limit.
  mutating func take(_ layer: easel_jxl_frame, limits: Limits) throws(ImageError) {
    layerCount += 1
    let layerSize = PixelSize(width: Int(layer.width), height: Int(layer.height))
    layerPixels += min(layerSize.area, 1 << 40)
    try limits.check(frame: layerSize, claimedBy: "JXL: layer \(layerCount - 1)")
    // The first frame needs all layers up to its end.
    if delays.isEmpty {
      try limits.check(frameCount: layerCount, of: size, claimedBy: "JXL: the file")
    } else {
      try limits.check(frameCount: layerCount, claimedBy: "JXL: the file")
    }
    guard moves, layer.ticks > 0 || layer.is_last else { return }
    // The limit of one day is longer than any frame is shown, and its nanoseconds fit into the number.
    delays.append(.nanoseconds(Int64(min(86_400, Double(layer.ticks) * secondsPerTick) * 1e9)))
  }

  /// Removes the last frame, whose pixels are missing.
  mutating func dropLastFrame() { if delays.count > 1 { delays.removeLast() } }

  /// True for pictures in print colours, which store black as a separate component.
  ///
  /// Only the profile tells. A black component without such a profile belongs to colours that are shown without it.
  var isCMYK: Bool { hasBlack && metadata.profile?.isCMYKProfile == true }

  /// The time for decoding a frame that its pixels do not explain: for layers, other components, and many bytes.
  func effort(byteCount: Int) -> Duration {
    let frames = Double(max(1, delays.count))
    let explained = Double(size.area) * Factors.pixel
    let layers = Double(layerPixels) / frames * (Factors.pixel + Double(extraCount) * Factors.extra)
    let coded = Double(byteCount) / frames * Factors.byte
    return .nanoseconds(Int64(min(max(0, max(layers, coded) - explained), 3600e9)))
  }

  /// Nanoseconds, measured with libjxl 0.7 on one core of the machine of the service's factors (AMD Zen 5).
  ///
  /// A photo of 3 megapixels took 139 ms with losses, in 530 KB, and 818 ms without, in 4.7 MB.
  private enum Factors {
    static let pixel = 50.0
    static let byte = 170.0
    /// An estimate for a component besides the colours.
    static let extra = 15.0
  }

  /// True if there are frames to play.
  var isSequence: Bool { delays.count > 1 }

  var imageHeader: ImageHeader {
    var header = ImageHeader(
      format: .jxl, storedSize: size, orientation: orientation, frameCount: max(1, delays.count),
      loopCount: isSequence ? plays : 0, hasAlpha: hasAlpha, bitDepth: bitDepth)
    if isSequence {
      header.storedDelays = delays
      header.storedLoopCount = plays
    }
    header.state(metadata)
    return header
  }
}

extension ColorDescription.Coding {
  /// Reads the code points from colours in libjxl's numbers; nil if there are no code points for them.
  init?(_ colors: easel_jxl_colors) {
    guard colors.is_known, [1, 8, 13, 16, 18].contains(colors.transfer) else { return nil }
    let isHighRange = colors.transfer == 16 || colors.transfer == 18
    let primaries: Int
    switch (colors.white, colors.primaries) {
    case (1, _) where colors.is_gray: primaries = isHighRange ? 9 : 1
    case (1, 1): primaries = 1
    case (1, 9): primaries = 9
    case (1, 11): primaries = 12
    case (11, 11): primaries = 11
    default: return nil
    }
    self.init(primaries: primaries, transfer: Int(colors.transfer))
  }
}
