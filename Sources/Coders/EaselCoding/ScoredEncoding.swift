import EaselCore
import EaselPixels

/// Writes pictures at the quality at which they have the wanted score, and others as their options say.
package struct ScoredEncoding: Sendable {
  private let coder: any ImageCoder
  /// The colour behind transparent pixels, in a format without alpha.
  private let background: PixelColor?
  private let work: WorkContext

  /// Creates the encoding for a coder that reads what it writes.
  package init(_ coder: any ImageCoder, background: PixelColor? = nil, work: WorkContext) {
    (self.coder, self.background, self.work) = (coder, background, work)
  }

  /// The bytes of a picture.
  ///
  /// `write` encodes a picture once, with options that have a quality. For a moving picture, the score is that of its
  /// still picture, and its frames are written once.
  package func bytes(
    of image: Image, _ options: EncodeOptions, write: (Image, EncodeOptions) throws -> ImageBytes
  ) throws -> ImageBytes {
    guard let target = options.settings[.scoreTarget], !options.lossless else { return try write(image, options) }
    var wanted = options
    wanted.settings[.scoreTarget] = nil
    wanted.settings[.qualityScale] = .looks
    let still = image.withoutFrames
    let original = try reference(still, options)
    let found = try ScoreSearch(target).best { percent in
      var attempt = wanted
      attempt.maxFileBytes = nil
      attempt.quality = Double(percent) / 100
      let bytes = try write(still, attempt)
      return (bytes, try score(of: bytes, beside: original))
    }
    work.context[.scoreLog]?.note(
      ScoreLog.Entry(percent: found.percent, score: found.score, attempts: found.attempts), for: coder.formats[0])
    let isWhole = image.frames == nil || options.firstFrameOnly
    if isWhole, found.result.count <= options.maxFileBytes ?? .max { return found.result }
    wanted.quality = Double(found.percent) / 100
    return try write(image, wanted)
  }

  /// The pixels that the file is compared with: at its size, and opaque if it cannot be transparent.
  private func reference(_ image: Image, _ options: EncodeOptions) throws -> Bitmap {
    let size = image.size.thumbnail(in: options.maxPixelSize ?? PixelSize(width: 0, height: 0))
    let bitmap = try image.bitmap.resized(to: size, work: work)
    return try background.map { try bitmap.flattened(over: $0, work: work) } ?? bitmap
  }

  private func score(of bytes: ImageBytes, beside original: Bitmap) throws -> Double {
    // The numbers in the file count, because those of the original have the same meaning.
    let options = DecodeOptions(
      appliesOrientation: false, convertsColor: false, keeps16Bits: original.format.layout == .rgba16,
      keepsHighRange: true)
    return try original.visualScore(of: coder.decode(bytes, options: options, work: work).bitmap, work: work)
  }
}
