import EaselCore
import FoundationEssentials

extension ImageCoderContract {
  func checkEncoding(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let encoder, let image = try? decode(sample.imageBytes) else { return }
    let foreign = ImageFormat(mimeType: "image/x-that-nobody-writes")
    do {
      _ = try encoder.encode(image, as: foreign, options: EncodeOptions(), work: WorkContext())
      findings.add(.refusesOtherFormats, "It wrote \(foreign).")
    } catch {
      let code = (error as? ImageError)?.code
      findings.require(code == .encodeFailed, .refusesOtherFormats, "Asked for \(foreign) it failed with \(error).")
    }
    for format in writable where canRead(format) {
      let what = "\(sample.name) written as \(format)"
      let again = findings.attempt(.encodedDecodesAgain, what) { try recoded(image, format, EncodeOptions()) }
      if let again {
        findings.require(
          again.size == image.size && again.frames?.count == image.frames?.count
            && again.frames?.totalDuration == image.frames?.totalDuration
            && again.frames?.loopCount == image.frames?.loopCount,
          .encodedDecodesAgain, "\(what) comes back as \(again.frames?.count ?? 1) frames of \(again.size).")
      }
      var options = EncodeOptions()
      options.maxPixelSize = PixelSize(width: 3, height: 3)
      options.firstFrameOnly = true
      let small = findings.attempt(.encodedSizeIsBounded, what) { try recoded(image, format, options) }
      if let small {
        let expected = image.size.thumbnail(in: PixelSize(width: 3, height: 3))
        findings.require(small.size == expected, .encodedSizeIsBounded, "\(what) in 3x3 is \(small.size).")
        findings.require(!small.isAnimated, .encodedSizeIsBounded, "\(what) has more than its first frame.")
      }
      checkFileSize(image, format, what, findings)
      checkKeptMetadata(image, format, what, findings)
    }
  }

  private func checkFileSize(_ image: Image, _ format: ImageFormat, _ what: String, _ findings: Findings<Rule>) {
    let bytes = try? encode(image, as: format, options: EncodeOptions(), work: WorkContext())
    guard let count = bytes?.count else { return }
    for limit in [count, count - 1, count / 2, 1, 0] {
      var options = EncodeOptions()
      options.maxFileBytes = limit
      do {
        let small = try encode(image, as: format, options: options, work: WorkContext())
        findings.require(
          small.count <= limit, .fileSizeIsBounded, "\(what) takes \(small.count) bytes of \(limit).")
        findings.require(
          (try? read(small, as: format)) != nil, .fileSizeIsBounded, "\(what) in \(limit) bytes is no picture any more."
        )
      } catch {
        let code = (error as? ImageError)?.code
        findings.require(
          code == .encodeFailed && limit < count, .fileSizeIsBounded, "\(what) in \(limit) bytes ended with \(error).")
      }
    }
  }

  private func checkKeptMetadata(_ image: Image, _ format: ImageFormat, _ what: String, _ findings: Findings<Rule>) {
    var tagged = image
    tagged.metadata.exif = Self.exif
    tagged.metadata.xmp = Self.xmp
    findings.attempt(.leavesMetadataOut, "\(what) with EXIF and XMP") {
      let bytes = try encode(tagged, as: format, options: EncodeOptions(), work: WorkContext())
      let metadata = try read(bytes, as: format).metadata
      // A coder may write its own block for the orientation.
      let text = try bytes.withUnsafeBytes { Self.contains($0, Array("adobe:ns:meta".utf8)) }
      findings.require(
        metadata.xmp == nil && metadata.exif != Self.exif && !text, .leavesMetadataOut,
        "\(what) has the EXIF or XMP of its picture, which nobody asked to keep.")
    }
  }

  private static func contains(_ bytes: UnsafeRawBufferPointer, _ text: [UInt8]) -> Bool {
    guard bytes.count >= text.count else { return false }
    return (0...bytes.count - text.count).contains { start in text.indices.allSatisfy { bytes[start + $0] == text[$0] }
    }
  }

  /// An EXIF block with a single entry, the artist's name.
  static let exif = Data(
    [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x0f, 1, 2, 0, 4, 0, 0, 0, 0x4d, 0x65, 0x21, 0, 0, 0, 0, 0])

  static let xmp = Data(Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'>here</x:xmpmeta>".utf8))

  func checkStrangeOptions(_ findings: Findings<Rule>) {
    guard let bitmap = try? BitmapSamples.bitmap(width: 5, height: 3, .rgba8) else { return }
    var strange: [EncodeOptions] = []
    for quality in [-1, 0, 1, 7, Double.nan, .infinity, -.infinity] {
      var options = EncodeOptions()
      options.quality = quality
      strange.append(options)
    }
    for level in [-7, 0, 99] {
      var options = EncodeOptions()
      options.compressionLevel = level
      strange.append(options)
    }
    for (width, height) in [(0, 0), (-3, 5), (1 << 40, 1 << 40)] {
      var options = EncodeOptions()
      options.maxPixelSize = PixelSize(width: width, height: height)
      strange.append(options)
    }
    for format in writable where canRead(format) {
      for options in strange {
        do {
          let again = try recoded(Image(bitmap), format, options)
          findings.require(
            again.size.width <= 5 && again.size.height <= 3, .takesAnyOptions,
            "With \(options) a picture of 5x3 becomes one of \(again.size).")
        } catch {
          let code = (error as? ImageError)?.code
          findings.require(
            code == .encodeFailed, .takesAnyOptions, "Written as \(format) with \(options) it ended with \(error).")
        }
      }
    }
  }

  private func recoded(_ image: Image, _ format: ImageFormat, _ options: EncodeOptions) throws -> Image {
    let bytes = try encode(image, as: format, options: options, work: WorkContext())
    guard try reader(of: format)?.canDecode(prefix: bytes.prefix(CoderRegistry.sniffLength)) == true else {
      throw ImageError(.encodeFailed, "The coder does not know its own file.")
    }
    return try read(bytes, as: format)
  }

  /// The coder that reads files of a format: this one, or that of the author.
  private func reader(of format: ImageFormat) -> (any ImageCoder)? {
    if coder.formats.contains(format) { return coder }
    return reader?.formats.contains(format) == true ? reader : nil
  }

  private func canRead(_ format: ImageFormat) -> Bool { reader(of: format) != nil }

  private func read(_ bytes: ImageBytes, as format: ImageFormat) throws -> Image {
    guard let reader = reader(of: format) else { throw ImageError(.unsupportedFormat, "Nobody reads \(format).") }
    return try reader.decode(bytes, options: DecodeOptions(), work: WorkContext())
  }

  /// Looks at the bytes of each format, also of those that nobody reads.
  func checkFormats(_ findings: Findings<Rule>) {
    for format in writable {
      let what = "A picture of 5x3 written as \(format)"
      findings.attempt(.encodedIsOfItsFormat, what) {
        let image = Image(try BitmapSamples.bitmap(width: 5, height: 3, .opaqueRGBA8))
        let bytes = try encode(image, as: format, options: EncodeOptions(), work: WorkContext())
        let prefix = try bytes.prefix(CoderRegistry.sniffLength)
        guard let reader = reader(of: format) else {
          let fault = Self.fault(of: prefix, as: format)
          findings.require(fault == nil, .encodedIsOfItsFormat, "\(what) \(fault ?? "").")
          return
        }
        findings.require(reader.canDecode(prefix: prefix), .encodedIsOfItsFormat, "\(what) is no such file.")
        let header = try reader.probe(bytes, work: WorkContext())
        findings.require(
          header.format == format && header.uprightSize == image.size, .encodedIsOfItsFormat,
          "\(what) is \(header.format) of \(header.uprightSize).")
      }
    }
  }

  /// Describes what is wrong with the beginning of a file; nil if nothing is known to be.
  private static func fault(of prefix: [UInt8], as format: ImageFormat) -> String? {
    // No file of the usual formats is shorter.
    if prefix.count < (usual[format] == nil ? 1 : 20) { return "has only \(prefix.count) bytes" }
    if let begins = usual[format] { return begins(prefix) ? nil : "does not begin like one" }
    return usual.first { $0.value(prefix) }.map { "begins like \($0.key)" }
  }

  /// Tells files of the usual formats by their beginning.
  private static let usual: [ImageFormat: @Sendable ([UInt8]) -> Bool] = [
    .png: { $0.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
    .jpeg: { $0.starts(with: [0xff, 0xd8, 0xff]) },
    .gif: { $0.starts(with: "GIF87a".utf8) || $0.starts(with: "GIF89a".utf8) },
    .webp: { $0.starts(with: "RIFF".utf8) && $0.dropFirst(8).starts(with: "WEBP".utf8) },
    .avif: { $0.dropFirst(4).starts(with: "ftypavi".utf8) },
    .jxl: { $0.starts(with: [0xff, 0x0a]) || $0.dropFirst(4).starts(with: "JXL ".utf8) },
  ]

  func checkPixelFormats(_ findings: Findings<Rule>) {
    for format in writable where canRead(format) {
      for pixelFormat in BitmapSamples.formats {
        let what = "A picture of \(pixelFormat.layout), \(pixelFormat.alpha), written as \(format)"
        findings.attempt(.encodesEveryPixelFormat, what) {
          let image = Image(try BitmapSamples.bitmap(width: 5, height: 3, pixelFormat))
          let again = try recoded(image, format, EncodeOptions())
          findings.require(again.size == image.size, .encodesEveryPixelFormat, "\(what) comes back as \(again.size).")
        }
      }
    }
  }
}
