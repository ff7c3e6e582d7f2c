import EaselCore

/// The rules of every cache serializer.
public struct CacheSerializerContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The same picture gives the same bytes.
    case isRepeatable
    /// The bytes are not empty; nil leaves the encoding to the manager.
    case bytesAreNotEmpty
    /// The bytes decode to that picture: same size, same number of frames, similar colours.
    case bytesAreThePicture
    /// The input picture is not changed.
    case leavesItsInputAlone
    /// Cancelled work ends with `cancelled` or with its bytes, never with another error.
    case cancellationIsNoFailure
    /// Every call returns.
    case ends
  }

  private let serializer: any CacheSerializer
  private let coder: any ImageCoder
  private let samples: [ImageSample]

  private let patience: Duration

  /// Creates the suite; `coder` decodes the samples and the serializer's bytes.
  public init(
    _ serializer: any CacheSerializer, coder: any ImageCoder, samples: [ImageSample], patience: Duration = .ofContracts
  ) {
    self.patience = patience
    self.serializer = serializer
    self.coder = coder
    self.samples = samples
  }

  /// Returns the rules that the serializer breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    for sample in samples {
      await steps.onThread("Serializing \(sample.name)") {
        for received in [nil, sample.imageBytes] { check(sample, received, findings) }
        _ = try? SampleFile.with(sample.bytes) { check(sample, $0, findings) }
      }
    }
    return findings.violations
  }

  private func check(_ sample: ImageSample, _ received: ImageBytes?, _ findings: Findings<Rule>) {
    let work = WorkContext()
    guard let image = try? coder.decode(sample.imageBytes, options: DecodeOptions(), work: work) else { return }
    var before = image.bitmap
    before.withUnsafeMutableBytes { _ in }
    guard let bytes = try? serializer.serialize(image, received: received, work: work) else { return }
    findings.require(image.bitmap == before, .leavesItsInputAlone, "\(sample.name) was changed.")
    findings.require(!bytes.isEmpty, .bytesAreNotEmpty, "\(sample.name) became no bytes.")
    let again = try? serializer.serialize(image, received: received, work: work)
    findings.require(
      StoreSamples.haveEqualBytes(
        CacheEntry(bytes: bytes, record: .sample()), CacheEntry(bytes: again, record: .sample())),
      .isRepeatable, "\(sample.name) became other bytes the second time.")
    let stored = try? coder.decode(bytes, options: DecodeOptions(), work: work)
    findings.require(
      stored.map { isAlike($0, image) } ?? false, .bytesAreThePicture,
      "The bytes for \(sample.name), of \(image.frames?.count ?? 1) frames of \(image.size), are not that picture.")
    do {
      let work = WatchingClock(cancellingAtLook: 0).work()
      _ = try serializer.serialize(image, received: received, work: work)
    } catch {
      findings.require(
        WatchingClock.isCancellation(error), .cancellationIsNoFailure,
        "\(sample.name) ended with \(error) when it was given up.")
    }
  }

  /// True when `stored` may be a lossy copy of `image`.
  private func isAlike(_ stored: Image, _ image: Image) -> Bool {
    guard stored.size == image.size, stored.frames?.count == image.frames?.count else { return false }
    // Noise at a low quality reaches about 15 dB; a different picture of noise reaches 8.
    return BitmapSamples.likeness(stored.bitmap, image.bitmap) >= 11
  }
}
