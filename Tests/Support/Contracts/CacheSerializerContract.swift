import EaselCore

/// What every cache serializer must do.
public struct CacheSerializerContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// The same picture gives the same bytes.
    case isRepeatable
    /// There are bytes, or nil leaves it to the manager.
    case bytesAreNotEmpty
    /// The bytes are that picture: of the same size, with as many frames, and alike in its colours.
    case bytesAreThePicture
    /// The picture that was given stays as it was.
    case leavesItsInputAlone
    /// Work that is given up ends with `cancelled`, or with its bytes, never with another error.
    case cancellationIsNoFailure
    /// It comes back from every call.
    case ends
  }

  private let serializer: any CacheSerializer
  private let coder: any ImageCoder
  private let samples: [ImageSample]

  private let patience: Duration

  /// Creates the suite; `coder` decodes the samples and what the serializer makes of them.
  public init(
    _ serializer: any CacheSerializer, coder: any ImageCoder, samples: [ImageSample], patience: Duration = .seconds(120)
  ) {
    self.patience = patience
    self.serializer = serializer
    self.coder = coder
    self.samples = samples
  }

  /// The rules that the serializer breaks.
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

  /// Whether a picture may be another one written with loss.
  private func isAlike(_ stored: Image, _ image: Image) -> Bool {
    guard stored.size == image.size, stored.frames?.count == image.frames?.count else { return false }
    // Noise at a low quality comes to some 15 dB; another picture of noise to 8.
    return BitmapSamples.likeness(stored.bitmap, image.bitmap) >= 11
  }
}
