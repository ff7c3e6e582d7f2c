import EaselCore

/// What every cache serializer must do.
public struct CacheSerializerContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// The same picture gives the same bytes.
    case isRepeatable
    /// There are bytes, or nil leaves it to the manager.
    case bytesAreNotEmpty
    /// The bytes are a picture of the same size.
    case bytesAreThePicture
    /// The picture that was given stays as it was.
    case leavesItsInputAlone
  }

  private let serializer: any CacheSerializer
  private let coder: any ImageCoder
  private let samples: [ImageSample]

  /// Creates the suite; `coder` decodes the samples and what the serializer makes of them.
  public init(_ serializer: any CacheSerializer, coder: any ImageCoder, samples: [ImageSample]) {
    self.serializer = serializer
    self.coder = coder
    self.samples = samples
  }

  /// The rules that the serializer breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    await Waiting.onThread {
      for sample in samples {
        for received in [nil, sample.imageBytes] { check(sample, received, findings) }
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
    let size = try? coder.decode(bytes, options: DecodeOptions(), work: work).size
    findings.require(size == image.size, .bytesAreThePicture, "The bytes for \(sample.name) are not that picture.")
  }
}
