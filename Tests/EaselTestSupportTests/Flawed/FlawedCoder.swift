import EaselCore
import EaselSupport
import EaselTestSupport
import FoundationEssentials
import Glibc

/// A coder that breaks one rule.
final class FlawedCoder: EncodingCoder, MetadataCountingCoder, SizeReadingCoder, FileNamingCoder {
  private struct Strange: Error {}

  private let flaw: ImageCoderContract.Rule
  private let base = ToyCoder()
  private let running = Locked(0)

  init(_ flaw: ImageCoderContract.Rule) { self.flaw = flaw }

  var identifier: String { flaw == .namesItself ? "" : "flawed" }

  var formats: [ImageFormat] { base.formats }

  func fileExtensions(of format: ImageFormat) -> [String] { [flaw == .doesWhatItAdopts ? ".toy" : "toy"] }

  func canDecode(prefix: [UInt8]) -> Bool {
    switch flaw {
    case .knowsItsFiles: false
    case .needsTheFullSignature: prefix.first == UInt8(ascii: "E")
    default: base.canDecode(prefix: prefix)
    }
  }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    var header = try base.probe(bytes, work: work)
    if flaw == .headerMatchesPicture { header.frameCount += 1 }
    return header
  }

  func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    var size = try base.probe(bytes, work: work).storedSize
    if flaw == .sizeMatchesHeader { size.width += 1 }
    return size
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    var options = options
    var work = work
    let others = running.withLock { running in
      defer { running += 1 }
      return running
    }
    defer { running.withLock { $0 -= 1 } }
    if flaw == .isSafeForManyThreads {
      // Gives other threads many chances to arrive.
      for _ in 0..<1000 { sched_yield() }
      if others > 0 { throw ImageError(.badImageData, "Another picture is being decoded.") }
    }
    switch flaw {
    case .limitsHold:
      try work.checkCancellation()
      work = WorkContext()
    case .stopsWhenCancelled: work = WorkContext(limits: work.limits)
    case .stopsInTheMiddle:
      try work.checkCancellation()
      work = WorkContext(limits: work.limits)
    case .leastSizeSuffices where options.leastSize != nil: options.thumbnailSize = PixelSize(width: 1, height: 1)
    case .readsFiles where bytes.filePath != nil: throw ImageError(.badImageData, "There is nothing in memory.")
    case .ends: blockForever()
    case .truncationIsNeverHidden: options.damaged = .show
    case .orientationIsAppliedOnce: options.appliesOrientation = false
    case .trailingBytesAreIgnored:
      let header = try base.probe(bytes, work: work)
      let length = 28 + header.frameCount * (4 + header.storedSize.area * 4)
      if bytes.count > length { throw ImageError(.badImageData, "There is more than a picture.") }
    default: break
    }
    let asked = options
    if flaw == .sizesFollowTheRules { options.thumbnailSize = nil }
    var image: Image
    do {
      image = try base.decode(bytes, options: options, work: work)
    } catch  where flaw == .damageIsAnImageError && (error as? ImageError)?.code == .badImageData {
      throw Strange()
    }
    switch flaw {
    case .truncationIsNeverHidden: image.traits = asked.damaged == .show ? image.traits : []
    case .alphaIsHonest:
      if image.bitmap.format.alpha == .opaque { image.bitmap.withUnsafeMutableBytes { $0[3] = 7 } }
    case .metadataIsBounded: image.metadata.xmp = Data(repeating: 32, count: 100)
    case .pixelsAreRight: image.bitmap.withUnsafeMutableBytes { $0[0] ^= 1 }
    case .framesAreReachable: if let frames = image.frames { image.frames = Backwards(base: frames) }
    default: break
    }
    return image
  }

  func canEncode(_ format: ImageFormat) -> Bool { base.canEncode(format) }

  func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    var options = options
    if flaw == .effectiveOptionsWriteTheSameFile { options.firstFrameOnly = false }
    return options
  }

  func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    flaw == .metadataAreNeverOverlooked ? 0 : nil
  }

  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes {
    var image = image
    var options = options
    switch flaw {
    case .encodedDecodesAgain: image.frames = nil
    case .encodedIsOfItsFormat: return ToyImage(width: 1, height: 1).imageBytes
    case .encodesEveryPixelFormat:
      if image.bitmap.format.layout == .rgba16 { throw ImageError(.encodeFailed, "16 bits are too many.") }
    case .encodedSizeIsBounded: options.maxPixelSize = nil
    case .fileSizeIsBounded: options.maxFileBytes = nil
    case .takesAnyOptions where !(0...1).contains(options.quality): throw Strange()
    case .leavesMetadataOut:
      let bytes = try base.encode(image, as: format, options: options, work: work).data()
      return ImageBytes(bytes + (image.metadata.xmp ?? Data()))
    case .refusesOtherFormats:
      return try base.encode(image, as: ToyImage.format, options: options, work: work)
    default: break
    }
    return try base.encode(image, as: format, options: options, work: work)
  }

  private struct Backwards: FrameSource {
    let base: any FrameSource
    var count: Int { base.count }
    var loopCount: Int { base.loopCount }
    var canvasSize: PixelSize { base.canvasSize }
    var memoryCost: Int { base.memoryCost }
    func duration(at index: Int) -> Duration { base.duration(at: index) }
    func frame(at index: Int) throws -> Bitmap { try base.frame(at: count - 1 - index) }
  }
}
