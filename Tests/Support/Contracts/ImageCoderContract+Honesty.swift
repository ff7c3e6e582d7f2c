import EaselCore

extension ImageCoderContract {
  func checkAlpha(_ sample: ImageSample, _ findings: Findings<Rule>) {
    var small = DecodeOptions()
    small.thumbnailSize = PixelSize(width: 3, height: 3)
    var deep = DecodeOptions()
    deep.keeps16Bits = true
    deep.convertsColor = false
    var partial = DecodeOptions()
    partial.damaged = .show
    let cases = [
      ("", DecodeOptions(), sample.bytes), (", as a thumbnail,", small, sample.bytes),
      (", with what depth it has,", deep, sample.bytes),
      (", cut short,", partial, Array(sample.bytes.prefix(sample.bytes.count * 2 / 3))),
      (", cut short early,", partial, Array(sample.bytes.prefix(sample.bytes.count / 3))),
    ]
    for (how, options, bytes) in cases {
      guard let image = try? decode(ImageBytes(bytes), options) else { continue }
      var pictures = [image.bitmap]
      for index in 0..<min(image.frames?.count ?? 0, 5) {
        if let frame = try? image.frames?.frame(at: index) { pictures.append(frame) }
      }
      let isHonest = pictures.allSatisfy(BitmapSamples.keepsItsAlpha)
      findings.require(
        isHonest, .alphaIsHonest, "\(sample.name)\(how) is not \(image.bitmap.format.alpha) as it says.")
    }
  }

  func checkMetadata(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let whole = try? decode(sample.imageBytes).metadata else { return }
    let count = Self.byteCount(of: whole)
    for limit in Set([0, max(0, count - 1)]) {
      var limits = Limits()
      limits.metadataBytes = limit
      do {
        let image = try coder.decode(
          sample.imageBytes, options: DecodeOptions(), work: WorkContext(limits: limits))
        let kept = Self.byteCount(of: image.metadata)
        findings.require(
          kept <= limit, .metadataIsBounded,
          "\(sample.name) has \(kept) bytes of metadata where \(limit) are allowed.")
      } catch {
        let code = (error as? ImageError)?.code
        findings.require(
          code == .limitExceeded, .metadataIsBounded,
          "\(sample.name) with \(limit) bytes of metadata allowed ended with \(error).")
      }
    }
  }

  private static func byteCount(of metadata: ImageMetadata) -> Int {
    (metadata.iccProfile?.count ?? 0) + (metadata.exif?.count ?? 0) + (metadata.xmp?.count ?? 0)
  }

  func checkFile(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let inMemory = try? decode(sample.imageBytes) else { return }
    findings.attempt(.readsFiles, "\(sample.name) in a file") {
      try SampleFile.with(sample.bytes) { bytes in
        let header = try coder.probe(bytes, work: WorkContext())
        let image = try decode(bytes)
        // The file is deleted before a frame is requested, so a source must keep what it needs.
        findings.require(
          image.bitmap == inMemory.bitmap && image.metadata == inMemory.metadata
            && image.frames?.count == inMemory.frames?.count
            && (header == (try? coder.probe(sample.imageBytes, work: WorkContext()))),
          .readsFiles, "\(sample.name) is another picture when it lies in a file.")
      }
    }
  }
}
