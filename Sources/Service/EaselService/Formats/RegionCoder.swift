import EaselCore
import EaselFormats
import EaselPixels
import EaselSupport
import EaselTransformers

/// A coder for which a part of a picture is the whole picture.
///
/// Where the format allows it, nothing but that part is decoded, from the smallest version in the file that has enough
/// pixels. So limits, memory and time are those of the part. Of other formats the whole picture is decoded, and cut.
struct RegionCoder: EncodingLikeItsBase, EncodingCoder {
  let base: CoderRegistry
  private let cards: FormatCards
  private let full: PixelSize
  private let region: PixelRect
  /// The size in which the part appears: its own, or this divided by a power of two.
  private let shown: PixelSize
  private let divisor: Int
  private let fidelity: Fidelity
  private let sizes: RecentSizes
  /// The header of the file that is being read, until it is decoded.
  private let memo = Locked<(bytes: ImageBytes, header: ImageHeader)?>(nil)

  /// Creates a coder over those of a manager, for a part of a picture that has the size `full` when it is upright.
  ///
  /// `target` is the size that is made of the part; nil if all of its pixels are needed. A picture of another size is an
  /// error, after which `sizes` has the right one.
  init(
    _ base: CoderRegistry, _ cards: FormatCards, full: PixelSize, region: PixelRect, target: PixelSize?,
    fidelity: Fidelity, sizes: RecentSizes
  ) {
    (self.base, self.cards) = (base, cards)
    self.full = full
    self.region = region
    self.fidelity = fidelity
    self.sizes = sizes
    divisor = Self.divisor(region.size, target)
    let size = region.size.divided(by: divisor)
    // Of so many pixels, the coder may as well make the target.
    if size.area > Self.mostShownPixels, let target, size.covers(target) { shown = target } else { shown = size }
  }

  private static let mostShownPixels = 16_000_000

  /// The largest power of two by which the part may be made smaller at once.
  ///
  /// Unless it gives the target itself, the rest is for a better filter.
  private static func divisor(_ size: PixelSize, _ target: PixelSize?) -> Int {
    guard let target, !target.isEmpty else { return 1 }
    var divisor = 1
    while size.divided(by: 2 * divisor).covers(target) { divisor *= 2 }
    return divisor > 1 && size.divided(by: divisor) != target ? divisor / 2 : divisor
  }

  var identifier: String {
    "region-\(region.x)-\(region.y)-\(region.width)-\(region.height)-of-\(full.width)-\(full.height)-"
      + "as-\(shown.width)-\(shown.height)\(fidelity == .fast || shown == region.size ? "" : "-\(fidelity.name)")"
  }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    var header = try fullHeader(bytes, work)
    guard shown.area <= work.limits.framePixels else {
      throw Self.tooLarge("A part with \(shown) pixels is over the limit of \(work.limits.framePixels) pixels.")
    }
    if !readsParts(header) {
      let cost = cards.cost(of: header.format).decoderBytes
      header.decoderBytes =
        header.decoderBytes.map { $0 + 4 * full.area } ?? Int(Double(full.area) * max(cost.whole, cost.besides + 4))
    }
    (header.storedSize, header.orientation) = (shown, .up)
    (header.frameCount, header.loopCount, header.storedLoopCount, header.storedDelays) = (1, 0, nil, [])
    header.gainMap = nil
    return header
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let header = try fullHeader(bytes, work)
    memo.withLock { $0 = nil }
    var options = options
    options.firstFrameOnly = true
    options.fidelity = fidelity
    (options.leastSize, options.scaleDownLimitBytes) = (nil, nil)
    var image: Image
    if readsParts(header) {
      options.region = region
      options.thumbnailSize = shown
      options.preservesAspectRatio = false
      do {
        image = try base.decode(bytes, options: options, work: work)
      } catch let error as ImageError where error.message.contains("Limits.framePixels") {
        throw Self.tooLarge(error.message)
      }
    } else {
      image = try cut(bytes, options, work)
    }
    image.frames = nil
    image.metadata.gainMap = nil
    return image
  }

  /// An error that says nothing about other parts of the picture.
  private static func tooLarge(_ message: String) -> ImageError { ImageError(.transformFailed, message) }

  /// The part cut out of the whole picture, which is decoded as small as suffices.
  private func cut(_ bytes: ImageBytes, _ options: DecodeOptions, _ work: WorkContext) throws -> Image {
    var options = options
    options.thumbnailSize = nil
    options.appliesOrientation = true
    if divisor > 1 { options.leastSize = full.divided(by: divisor) }
    var image = try base.decode(bytes, options: options, work: work)
    let size = image.bitmap.size
    let left = region.x * size.width / full.width
    let top = region.y * size.height / full.height
    let part = PixelRect(
      x: min(left, size.width - 1), y: min(top, size.height - 1),
      width: max(1, (region.x + region.width) * size.width / full.width - left),
      height: max(1, (region.y + region.height) * size.height / full.height - top))
    if part.size != size { image.bitmap = try image.bitmap.cropped(to: part) }
    if image.bitmap.size != shown {
      image.bitmap = try image.bitmap.resized(to: shown, linearLight: fidelity != .fast, work: work)
    }
    return image
  }

  /// The header of the whole picture, to which only the limits of its format apply.
  private func fullHeader(_ bytes: ImageBytes, _ work: WorkContext) throws -> ImageHeader {
    if let known = memo.withLock({ $0 }), known.bytes.isIdentical(to: bytes) { return known.header }
    var limits = work.limits
    limits.framePixels = .max
    let header = try base.probe(bytes, work: WorkContext(limits: limits, context: work.context, url: work.url))
    if !readsParts(header) { try work.limits.check(frame: header.storedSize, claimedBy: "The header") }
    guard header.uprightSize == full else {
      if let url = work.url { sizes[url] = header.uprightSize }
      throw ImageError(
        .transformFailed, "The picture is \(header.uprightSize) now, and was \(full) when its part was chosen.")
    }
    // Bytes in memory would stay there as long as the address is known.
    if bytes.isInFile { memo.withLock { $0 = (bytes, header) } }
    return header
  }

  /// True if the coder of the picture reads the part without the rest.
  private func readsParts(_ header: ImageHeader) -> Bool {
    header.orientation == .up && cards[header.format]?.decodesRegions == true
  }
}

extension PixelSize {
  /// The sides divided and rounded up.
  func divided(by divisor: Int) -> PixelSize {
    PixelSize(width: (width + divisor - 1) / divisor, height: (height + divisor - 1) / divisor)
  }

  /// True if no side is shorter than that of the other size.
  func covers(_ other: PixelSize) -> Bool { width >= other.width && height >= other.height }
}
