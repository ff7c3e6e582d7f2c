import EaselCore

extension ImageCoderContract {
  private var writable: [ImageFormat] { coder.formats.filter(coder.canEncode) }

  func checkEncoding(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let image = try? decode(sample.imageBytes) else { return }
    let foreign = ImageFormat(mimeType: "image/x-that-nobody-writes")
    do {
      _ = try coder.encode(image, as: foreign, options: EncodeOptions(), work: WorkContext())
      findings.add(.refusesOtherFormats, "It wrote \(foreign).")
    } catch {
      let code = (error as? ImageError)?.code
      findings.require(code == .encodeFailed, .refusesOtherFormats, "Asked for \(foreign) it failed with \(error).")
    }
    for format in writable {
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
    }
  }

  private func recoded(_ image: Image, _ format: ImageFormat, _ options: EncodeOptions) throws -> Image {
    let bytes = try coder.encode(image, as: format, options: options, work: WorkContext())
    guard coder.canDecode(prefix: try bytes.prefix(64)) else {
      throw ImageError(.encodeFailed, "The coder does not know its own file.")
    }
    return try decode(bytes)
  }

  func checkPixelFormats(_ findings: Findings<Rule>) {
    for format in writable {
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
