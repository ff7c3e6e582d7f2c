import EaselCore
import EaselSupport
import FoundationEssentials

/// The rules of every transformer.
public struct TransformerContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The key is constant: one line without control bytes.
    case keyIsStable
    /// Equal keys give equal pixels, even for two transformers and on many threads.
    case equalKeysGiveEqualPixels
    /// The input picture is not changed.
    case leavesItsInputAlone
    /// Pictures of every pixel format are accepted, and pictures of a single pixel.
    case takesEveryPixelFormat
    /// The alpha flags of the result are true.
    case keepsAlphaHonest
    /// The colour profile and EXIF are kept, unless it is the transformer's purpose to remove them.
    case keepsMetadata
    /// Every error is an `ImageError`.
    case failuresAreImageErrors
    /// A result that exceeds the limits is refused with `limitExceeded`.
    case limitsHold
    /// A moving picture keeps its frames and their durations, and all frames keep one size.
    case framesStay
    /// Work cancelled in the middle ends with `cancelled` or with its picture, never with another error.
    case cancellationIsNoFailure
    /// A plan asks for a possible size, and its result is within 40 dB of the unplanned one.
    case planGivesTheSamePicture
    /// Two merged transformers give a result within 40 dB of applying them one after the other.
    case mergingGivesTheSamePicture
    /// Every call returns.
    case ends
  }

  let makeTransformers: @Sendable () -> [any Transformer]
  private let takesMetadata: Bool
  private let patience: Duration

  /// Creates the suite; `makeTransformers` makes the same new transformers each time, preferably very different ones.
  ///
  /// `takesMetadata` is for transformers whose purpose is to remove metadata.
  public init(
    takesMetadata: Bool = false, patience: Duration = .ofContracts,
    _ makeTransformers: @escaping @Sendable () -> [any Transformer]
  ) {
    self.makeTransformers = makeTransformers
    self.takesMetadata = takesMetadata
    self.patience = patience
  }

  /// Returns the rules that the transformers break.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    let names = await steps.onThread("Asking for the keys") { makeTransformers().map(\.cacheKey) } ?? []
    for (index, name) in names.enumerated() {
      await steps.onThread("Transforming with \(name)") {
        let (transformer, twin) = (makeTransformers()[index], makeTransformers()[index])
        checkKey(transformer, twin, findings)
        checkFormats(transformer, twin, findings)
        checkLimits(transformer, findings)
        checkCancellation(transformer, findings)
        checkFrames(transformer, findings)
        checkPlan(transformer, findings)
      }
      await steps.run("Transforming with \(name) on many threads") {
        await checkThreads(makeTransformers()[index], findings)
      }
    }
    await steps.onThread("Transforming with all of them") { checkKeys(makeTransformers(), findings) }
    await steps.onThread("Merging them") { checkMerging(makeTransformers(), findings) }
    return findings.violations
  }

  private func checkKey(_ transformer: any Transformer, _ twin: any Transformer, _ findings: Findings<Rule>) {
    let key = transformer.cacheKey
    let isText = !key.isEmpty && key.unicodeScalars.allSatisfy { $0.value >= 32 && !(127...159).contains($0.value) }
    findings.require(isText, .keyIsStable, "The key \(key.debugDescription) is empty or has control bytes.")
    if let image = Self.image(13, 7, .rgba8) { _ = try? transformer.transform(image, work: WorkContext()) }
    findings.require(
      transformer.cacheKey == key && twin.cacheKey == key, .keyIsStable, "\(key) is \(twin.cacheKey) next time.")
  }

  private func checkFormats(
    _ transformer: any Transformer, _ twin: any Transformer, _ findings: Findings<Rule>
  ) {
    for (width, height) in [(13, 7), (1, 1)] {
      for format in BitmapSamples.formats {
        let what = "\(transformer.cacheKey) of \(width)x\(height) \(format.layout), \(format.alpha)"
        guard let image = Self.image(width, height, format) else { continue }
        let before = Self.copy(image.bitmap)
        guard let result = transform(image, with: transformer, what, findings) else { continue }
        findings.require(
          image.bitmap == before && image.metadata == Self.metadata(width, height), .leavesItsInputAlone,
          "\(what) changed its input.")
        findings.require(BitmapSamples.keepsItsAlpha(result.bitmap), .keepsAlphaHonest, "\(what) says what is not so.")
        findings.require(
          takesMetadata
            || result.metadata.iccProfile == image.metadata.iccProfile && result.metadata.exif == image.metadata.exif,
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
      // A transformer with nothing to work on may fail, such as a crop outside a picture of one pixel.
      if image.size.area > 1 { findings.add(.takesEveryPixelFormat, "\(what) failed: \(error)") }
      return nil
    }
  }

  private func checkKeys(_ transformers: [any Transformer], _ findings: Findings<Rule>) {
    guard let image = Self.image(13, 7, .rgba8) else { return }
    let results = transformers.map { ($0.cacheKey, try? $0.transform(image, work: WorkContext()).bitmap) }
    for (index, (key, bitmap)) in results.enumerated() {
      for (otherKey, other) in results[(index + 1)...] where key == otherKey {
        findings.require(bitmap == other, .equalKeysGiveEqualPixels, "Two transformers are called \(key).")
      }
    }
  }

  private func checkThreads(_ transformer: any Transformer, _ findings: Findings<Rule>) async {
    guard let image = Self.image(13, 7, .rgba8) else { return }
    let all = Locked<[Bitmap?]>([])
    await Waiting.onThreads(4) { _ in
      let bitmap = try? transformer.transform(image, work: WorkContext()).bitmap
      all.withLock { $0.append(bitmap) }
    }
    let results = all.withLock { $0 }
    let areEqual = results.allSatisfy { $0 == results[0] }
    findings.require(
      areEqual, .equalKeysGiveEqualPixels, "\(transformer.cacheKey) gives other pixels on other threads.")
  }

  static func image(_ width: Int, _ height: Int, _ format: PixelFormat) -> Image? {
    let bitmap = try? BitmapSamples.bitmap(width: width, height: height, format)
    return bitmap.map { Image($0, format: .png, metadata: metadata(width, height)) }
  }

  private static func metadata(_ width: Int, _ height: Int) -> ImageMetadata {
    ImageMetadata(
      storedSize: PixelSize(width: width, height: height), iccProfile: Data([1, 2, 3]), exif: Data([4, 5]))
  }

  /// Copies the pixels, because a transformer that breaks the rules may write into shared memory.
  static func copy(_ bitmap: Bitmap) -> Bitmap {
    var copy = bitmap
    copy.withUnsafeMutableBytes { _ in }
    return copy
  }
}
