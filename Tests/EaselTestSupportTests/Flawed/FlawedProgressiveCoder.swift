import EaselCore
import EaselSupport
import EaselTestSupport

/// A progressive coder that breaks one rule.
final class FlawedProgressiveCoder: ProgressiveImageCoder {
  private let flaw: ProgressiveCoderContract.Rule
  private let base = ToyCoder()

  init(_ flaw: ProgressiveCoderContract.Rule) { self.flaw = flaw }

  var identifier: String { "flawed" }
  var formats: [ImageFormat] { base.formats }
  func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try base.probe(bytes, work: work) }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try base.decode(bytes, options: options, work: work)
  }

  func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    if flaw == .makesDecoders { return nil }
    var options = options
    if flaw == .truncationIsNeverHidden { options.damaged = .show }
    let work = flaw == .stopsWhenCancelled ? WorkContext(limits: work.limits) : work
    let decoder = try base.makeDecoder(prefix: prefix, options: options, work: work)
    return decoder.map { Decoder(flaw: flaw, base: $0) }
  }

  private final class Decoder: ProgressiveDecoder {
    private struct Strange: Error {}

    private let flaw: ProgressiveCoderContract.Rule
    private let base: any ProgressiveDecoder
    private let last = Locked<Image?>(nil)

    init(flaw: ProgressiveCoderContract.Rule, base: any ProgressiveDecoder) {
      self.flaw = flaw
      self.base = base
    }

    func update(_ bytes: ImageBytes) throws { try base.update(bytes) }

    func preview() throws -> Image? {
      guard flaw != .somethingIsShown else { return nil }
      var image = try base.preview()
      if flaw == .previewsArePartial { image?.traits = [] }
      if flaw == .alphaIsHonest, image?.bitmap.format.alpha == .opaque {
        image?.bitmap.withUnsafeMutableBytes { $0[3] = 7 }
      }
      if let image { last.withLock { $0 = image } }
      return flaw == .noNewsNoPreview ? last.withLock { $0 } : image
    }

    func finish(_ bytes: ImageBytes) throws -> Image {
      if flaw == .ends { blockForever() }
      if flaw == .trailingBytesAreIgnored {
        let header = try ToyCoder().probe(bytes, work: WorkContext())
        let length = 28 + header.frameCount * (4 + header.storedSize.area * 4)
        if bytes.count > length { throw ImageError(.badImageData, "There is more than a picture.") }
      }
      if flaw == .readsFiles, bytes.filePath != nil { throw Strange() }
      do {
        var image = try base.finish(bytes)
        if flaw == .finalEqualsOneShot { image.bitmap.withUnsafeMutableBytes { $0[$0.count - 4] ^= 1 } }
        return image
      } catch  where flaw == .damageIsAnImageError {
        throw Strange()
      }
    }
  }
}
