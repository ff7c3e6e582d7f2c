import EaselCore
import EaselTestPixels
import FoundationEssentials

/// The rules on which caches of encoded bytes rely.
extension ImageCoderContract {
  /// Checks that options with the same effect are told from others.
  func checkEffectiveOptions(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let encoder, var image = try? decode(sample.imageBytes) else { return }
    image.metadata.exif = Self.exif
    image.metadata.xmp = Self.xmp
    for format in writable {
      let usual = encoded(image, format, EncodeOptions())?.count ?? 0
      for options in Self.variedOptions(limit: max(1, usual * 3 / 4), turn: turn(of: sample)) {
        let effective = encoder.effectiveOptions(options, for: format)
        findings.require(
          encoder.effectiveOptions(effective, for: format) == effective, .effectiveOptionsWriteTheSameFile,
          "For \(format), the effective options of \(options) have other effective options themselves.")
        guard effective != options else { continue }
        findings.require(
          encoded(image, format, options) == encoded(image, format, effective), .effectiveOptionsWriteTheSameFile,
          "\(sample.name) is another file with \(options) than with their effective options \(effective).")
      }
    }
  }

  /// The turn of a sample, which tries every third combination of options; nil if it tries all.
  ///
  /// These have each change of an option, together with some of the changes that give others their meaning.
  private func turn(of sample: ImageSample) -> Int? {
    guard !LongRun.isOn, samples.count > Self.turns else { return nil }
    return samples.firstIndex { $0.name == sample.name }.map { $0 % Self.turns }
  }

  private static let turns = 3

  /// The file, or nothing when it cannot be written with these options.
  private func encoded(_ image: Image, _ format: ImageFormat, _ options: EncodeOptions) -> Data? {
    try? encode(image, as: format, options: options, work: WorkContext()).data()
  }

  /// Changes of every option, alone and together with options that give others their meaning.
  private static func variedOptions(limit: Int, turn: Int?) -> [EncodeOptions] {
    let first: [(inout EncodeOptions) -> Void] = [
      { _ in }, { $0.lossless = true }, { $0.maxFileBytes = limit }, { $0.progressive = true },
      {
        $0.lossless = true
        $0.maxFileBytes = limit
      },
    ]
    var second: [(inout EncodeOptions) -> Void] = []
    second += [-1, 0, 0.004, 0.5, 0.503, 0.506, 0.9, 1, 2].map { quality in { $0.quality = quality } }
    second += [-3, 0, 1, 9, 12].map { level in { $0.compressionLevel = level } }
    second += [(0, 0), (3, 0), (4, 3), (100, 100)].map { width, height in
      { $0.maxPixelSize = PixelSize(width: width, height: height) }
    }
    second += [PixelColor.black, PixelColor(red: 255, green: 255, blue: 255, alpha: 0), .clear].map { color in
      { $0.backgroundColor = color }
    }
    second += [.full, .halfWidth].map { chroma in { $0.chromaSubsampling = chroma } }
    second += [
      { $0.firstFrameOnly = true }, { $0.allowsPalette = true }, { $0.keepsMetadata = true },
      { $0.settings[EncodeOptions.Setting<Int>("setting-of-no-coder")] = 1 },
    ]
    return first.enumerated().flatMap { place, first in
      second.enumerated().filter { turn == nil || (place + $0.offset) % turns == turn }.map { _, second in
        var options = EncodeOptions()
        first(&options)
        second(&options)
        return options
      }
    }
  }

  // MARK: Metadata

  /// Checks that no metadata are overlooked, which would then go out to strangers.
  func checkCountedMetadata(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let counter else { return }
    let count = findings.attempt(.metadataAreNeverOverlooked, "Counting the metadata of \(sample.name)") {
      try counter.metadataBytes(of: sample.imageBytes, work: WorkContext())
    }
    guard let count = count ?? nil else { return }
    findings.require(
      (0...sample.bytes.count).contains(count), .metadataAreNeverOverlooked,
      "\(sample.name) has \(sample.bytes.count) bytes and claims \(count) bytes of metadata.")
    checkMissingMetadata(sample, count, findings)
    let longer = metadataBytes(sample.bytes + Array("37.8 N 122.4 W".utf8))
    findings.require(
      longer == nil || longer == count + 14, .metadataAreNeverOverlooked,
      "Of 14 bytes after the end of \(sample.name), \((longer ?? 0) - count) are counted as metadata.")
    for end in stride(from: 0, to: sample.bytes.count, by: max(1, sample.bytes.count / 200)) {
      findings.require(
        metadataBytes(Array(sample.bytes[..<end])) != 0, .metadataAreNeverOverlooked,
        "The first \(end) of \(sample.bytes.count) bytes of \(sample.name) claim to be a picture without metadata.")
    }
    checkWrittenMetadata(sample, findings)
  }

  private func checkMissingMetadata(_ sample: ImageSample, _ count: Int, _ findings: Findings<Rule>) {
    guard count == 0, let metadata = try? decode(sample.imageBytes).metadata else { return }
    let header = try? coder.probe(sample.imageBytes, work: WorkContext())
    findings.require(
      metadata.exif == nil && metadata.xmp == nil && header?.orientation == .up, .metadataAreNeverOverlooked,
      "\(sample.name) has EXIF, XMP or an orientation and claims to have no metadata.")
  }

  private func checkWrittenMetadata(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard var image = try? decode(sample.imageBytes) else { return }
    image.metadata.exif = Self.exif
    image.metadata.xmp = Self.xmp
    for format in writable {
      var options = EncodeOptions()
      if let plain = encoded(image, format, options), let count = metadataBytes(Array(plain)) {
        findings.require(
          count == 0, .metadataAreNeverOverlooked,
          "\(sample.name) written without metadata claims to have \(count) bytes of them.")
      }
      options.keepsMetadata = true
      guard let kept = encoded(image, format, options), let again = try? decode(ImageBytes(kept)).metadata
      else { continue }
      findings.require(
        metadataBytes(Array(kept)) != 0 || again.exif == nil && again.xmp == nil, .metadataAreNeverOverlooked,
        "\(sample.name) written with metadata claims to have none.")
    }
  }

  private func metadataBytes(_ bytes: [UInt8]) -> Int? {
    (try? counter?.metadataBytes(of: ImageBytes(bytes), work: WorkContext())) ?? nil
  }
}
