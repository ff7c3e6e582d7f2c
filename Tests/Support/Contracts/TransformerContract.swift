import EaselCore
import FoundationEssentials

/// What every transformer must do.
public struct TransformerContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// It has a key of one line, and the same one each time.
    case keyIsStable
    /// Equal keys give equal pixels, also from two transformers and on many threads.
    case equalKeysGiveEqualPixels
    /// The picture that was given stays as it was.
    case leavesItsInputAlone
    /// Pictures of every pixel format and of a single pixel are taken.
    case takesEveryPixelFormat
    /// What the result says about its alpha is true.
    case keepsAlphaHonest
    /// The colour profile stays with the pixels, and EXIF with the picture.
    case keepsMetadata
    /// Whatever fails, the error is an `ImageError`.
    case failuresAreImageErrors
  }

  private let makeTransformers: @Sendable () -> [any Transformer]

  /// Creates the suite; `makeTransformers` makes the same new ones each time, the more different the better.
  public init(_ makeTransformers: @escaping @Sendable () -> [any Transformer]) {
    self.makeTransformers = makeTransformers
  }

  /// The rules that the transformers break.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    await Waiting.onThread {
      let (first, second) = (makeTransformers(), makeTransformers())
      for (transformer, twin) in zip(first, second) {
        let key = transformer.cacheKey
        findings.require(!key.isEmpty && !key.contains("\n"), .keyIsStable, "The key is '\(key)'.")
        checkFormats(transformer, twin, findings)
        findings.require(
          transformer.cacheKey == key && twin.cacheKey == key, .keyIsStable, "\(key) is \(twin.cacheKey) next time.")
      }
      checkKeys(first, findings)
    }
    for transformer in makeTransformers() { await checkThreads(transformer, findings) }
    return findings.violations
  }

  private func checkFormats(
    _ transformer: any Transformer, _ twin: any Transformer, _ findings: Findings<Rule>
  ) {
    for (width, height) in [(13, 7), (1, 1)] {
      for format in BitmapSamples.formats {
        let what = "\(transformer.cacheKey) of \(width)x\(height) \(format.layout), \(format.alpha)"
        guard let image = try? Self.image(width, height, format) else { continue }
        let before = Self.copy(image.bitmap)
        guard let result = transform(image, with: transformer, what, findings) else { continue }
        findings.require(
          image.bitmap == before && image.metadata == Self.metadata(width, height), .leavesItsInputAlone,
          "\(what) changed its input.")
        findings.require(BitmapSamples.keepsItsAlpha(result.bitmap), .keepsAlphaHonest, "\(what) says what is not so.")
        findings.require(
          result.metadata.iccProfile == image.metadata.iccProfile && result.metadata.exif == image.metadata.exif,
          .keepsMetadata, "\(what) lost metadata.")
        let again = try? transformer.transform(image, work: WorkContext())
        findings.require(
          again?.bitmap == result.bitmap, .equalKeysGiveEqualPixels, "\(what) is another picture the second time.")
        let other = try? twin.transform(image, work: WorkContext())
        findings.require(
          other?.bitmap == result.bitmap || twin.cacheKey != transformer.cacheKey, .equalKeysGiveEqualPixels,
          "\(what) is another picture from a transformer of the same key.")
      }
    }
  }

  private func transform(
    _ image: Image, with transformer: any Transformer, _ what: String, _ findings: Findings<Rule>
  ) -> Image? {
    do {
      return try transformer.transform(image, work: WorkContext())
    } catch {
      findings.require(error is ImageError, .failuresAreImageErrors, "\(what) failed with \(error).")
      // What has nothing to work on may fail: a crop outside of a picture of one pixel.
      if image.size.area > 1 { findings.add(.takesEveryPixelFormat, "\(what) failed: \(error)") }
      return nil
    }
  }

  private func checkKeys(_ transformers: [any Transformer], _ findings: Findings<Rule>) {
    guard let image = try? Self.image(13, 7, .rgba8) else { return }
    let results = transformers.map { ($0.cacheKey, try? $0.transform(image, work: WorkContext()).bitmap) }
    for (index, (key, bitmap)) in results.enumerated() {
      for (otherKey, other) in results[(index + 1)...] where key == otherKey {
        findings.require(bitmap == other, .equalKeysGiveEqualPixels, "Two transformers are called \(key).")
      }
    }
  }

  private func checkThreads(_ transformer: any Transformer, _ findings: Findings<Rule>) async {
    guard let image = try? Self.image(13, 7, .rgba8) else { return }
    let results = await withTaskGroup(of: Bitmap?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          await Waiting.onThread { try? transformer.transform(image, work: WorkContext()).bitmap }
        }
      }
      return await group.reduce(into: [Bitmap?]()) { $0.append($1) }
    }
    let areEqual = results.allSatisfy { $0 == results[0] }
    findings.require(
      areEqual, .equalKeysGiveEqualPixels, "\(transformer.cacheKey) gives other pixels on other threads.")
  }

  private static func image(_ width: Int, _ height: Int, _ format: PixelFormat) throws -> Image {
    Image(
      try BitmapSamples.bitmap(width: width, height: height, format), format: .png, metadata: metadata(width, height))
  }

  private static func metadata(_ width: Int, _ height: Int) -> ImageMetadata {
    ImageMetadata(
      storedSize: PixelSize(width: width, height: height), iccProfile: Data([1, 2, 3]), exif: Data([4, 5]))
  }

  /// Pixels in memory of their own, since a transformer that breaks the rules may write into shared memory.
  private static func copy(_ bitmap: Bitmap) -> Bitmap {
    var copy = bitmap
    copy.withUnsafeMutableBytes { _ in }
    return copy
  }
}
