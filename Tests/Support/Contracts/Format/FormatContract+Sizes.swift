import EaselCore
import EaselPixels
import EaselTestPixels

/// The rules about sizes, of pictures and of files.
extension FormatContract {
  func checkThumbnails(_ note: FormatFindings) throws {
    let bitmap = format.keeps.contains(.alpha) ? try Bitmap.softAlpha(403, 301) : try Bitmap.waves(403, 301)
    for pixels in [bitmap.format] + (format.exactFormats.contains(.rgba16) ? [.rgba16] : []) {
      for fidelity in Fidelity.allCases { try checkThumbnails(of: bitmap.converted(to: pixels), fidelity, note) }
    }
  }

  private func checkThumbnails(of bitmap: Bitmap, _ fidelity: Fidelity, _ note: FormatFindings) throws {
    let bytes = try encode(Image(bitmap))
    func read(_ change: (inout DecodeOptions) -> Void) throws -> Image {
      try decode(bytes) {
        $0.keeps16Bits = bitmap.format.layout == .rgba16
        $0.fidelity = fidelity
        change(&$0)
      }
    }
    func turned(_ bitmap: Bitmap) throws -> Bitmap {
      try bitmap.flipped(horizontally: false, vertically: format.isBottomUp)
    }
    let whole = try turned(read { _ in }.bitmap)
    func expectSimilar(_ small: Image, _ what: String) throws {
      let expected = try turned(whole.resized(to: small.size, linearLight: fidelity != .fast))
      // What is not much smaller is made of all pixels.
      guard let least = format.thumbnailDecibels, 2 * small.size.width <= 403 else {
        return note.expect(small.bitmap == expected, "\(what) is not that of all pixels.")
      }
      let found = small.bitmap.signalToNoise(against: expected)
      note.expect(found > least, "\(what) has \(found) dB compared to that of all pixels; \(least) are promised.")
    }
    for box in [(50, 50), (33, 300), (7, 5), (402, 300)].map({ PixelSize(width: $0.0, height: $0.1) }) {
      let small = try read { $0.thumbnailSize = box }
      note.expect(small.traits == .thumbnail, "The thumbnail in \(box) has the traits \(small.traits).")
      try expectSimilar(small, "The \(fidelity) thumbnail in \(box)")
    }
    let stretched = try read {
      $0.thumbnailSize = PixelSize(width: 40, height: 100)
      $0.preservesAspectRatio = false
    }
    note.expect(stretched.size == PixelSize(width: 40, height: 100), "A picture made 40x100 is \(stretched.size).")
    try expectSimilar(stretched, "A picture made 40x100, \(fidelity),")
    let light = try read { $0.scaleDownLimitBytes = 4 * 40 * 30 }
    note.expect(light.size.area <= 40 * 30, "A picture of at most 4800 bytes is \(light.size).")
  }

  func checkLargePictures(_ note: FormatFindings) throws {
    for options in format.large {
      for isTurned in format.keeps.contains(.orientation) ? [true, false] : [false] {
        let picture = LargePicture(isTurned: isTurned)
        let bytes = try encode(picture.image, options)
        for fault in try picture.faults(of: coder, reading: ImageBytes(bytes)) {
          note.expect(false, "Of a large picture, \(isTurned ? "stored on its side, " : "")\(fault).")
        }
        note.expect(!bytes.isEmpty, "A large picture is an empty file.")
        guard progressive != nil else { continue }
        let whole = try decode(bytes) { $0.leastSize = picture.leastSize }
        // Each piece is a copy of all before it, and a file may have megabytes.
        let length = max(1000, bytes.count / 100)
        let arrived = try decode(bytes, inPiecesOf: length) { $0.leastSize = picture.leastSize }
        note.expect(
          arrived.bitmap == whole.bitmap && arrived.traits == whole.traits,
          "A large picture of which \(picture.leastSize) suffices is \(arrived.size), \(arrived.traits), in pieces.")
      }
    }
  }

  func checkFileLimit(_ note: FormatFindings) throws {
    let side = min(256, format.largestSide)
    let noise = Image(try Bitmap.noise(side, 192, .opaqueRGBA8))
    if !format.decibels.isEmpty {
      let soft = Image(try Bitmap.waves(side, 192))
      let limit = try encode(soft).count * 4 / 5
      let worse = try encode(soft) { $0.maxFileBytes = limit }
      let size = try decode(worse).size
      note.expect(
        worse.count <= limit && size == soft.size,
        "A soft picture of \(soft.size) in \(limit) bytes takes \(worse.count) and is \(size).")
    }
    for (options, limit) in [(EncodeOptions(), 2000), (exact, 5000)] {
      let small = try encode(noise, options) { $0.maxFileBytes = limit }
      let width = try decode(small).size.width
      note.expect(
        small.count <= limit && width < side && width > 10,
        "Noise in \(limit) bytes takes \(small.count) and is \(width) pixels wide.")
    }
    for options in [EncodeOptions(), exact] {
      note.expectError(.encodeFailed, "even one pixel takes ", "A file of at most 8 bytes") {
        _ = try encode(noise, options) { $0.maxFileBytes = 8 }
      }
    }
  }

  func checkWritingLimits(_ note: FormatFindings) throws {
    let image = try Image(Bitmap(10, 10, .white))
    let work = WorkContext(limits: Limits(framePixels: 99))
    note.expectError(.limitExceeded, "Limits.framePixels", "A picture of 100 pixels, of which 99 are allowed,") {
      _ = try encode(image, work: work)
    }
  }

  func checkSides(_ note: FormatFindings) throws {
    let (most, work) = (format.largestSide, WorkContext(limits: Limits(side: 1 << 20)))
    for (width, height) in [(most + 1, 1), (1, most + 1)] {
      let image = try Image(Bitmap(width, height, .white))
      note.expectError(.encodeFailed, "", "A picture of \(image.size)") { _ = try encode(image, work: work) }
      let fitting = try encode(image, work: work) { $0.maxPixelSize = PixelSize(width: most, height: most) }
      let size = try probe(fitting).storedSize
      note.expect(
        max(size.width, size.height) == most, "A side of \(most + 1) pixels is \(size) when it is made to fit.")
    }
  }

  func checkBeginnings(_ note: FormatFindings) throws {
    guard let sizeReader else { return }
    func size(_ bytes: [UInt8], _ limits: Limits = Limits()) throws -> PixelSize {
      try sizeReader.storedSize(of: ImageBytes(bytes), work: WorkContext(limits: limits))
    }
    for beginning in format.beginnings {
      let head = Array(beginning.bytes.prefix(beginning.count))
      for more in [[], [UInt8](repeating: 255, count: 40), beginning.bytes] {
        let read = try size(head + more)
        note.expect(read == beginning.size, "\(head.count) bytes and \(more.count) others state the size \(read).")
      }
      if beginning.isShorterThanHeader {
        note.expectError(.badImageData, "", "A header of \(head.count) bytes") { _ = try probe(head) }
      }
      for count in 0..<beginning.least {
        note.expectError(.badImageData, "", "A size in \(count) bytes") { _ = try size(Array(head.prefix(count))) }
      }
      let limits = Limits(side: max(beginning.size.width, beginning.size.height) - 1)
      note.expectError(.limitExceeded, "Limits.side", "\(beginning.size) of sides up to \(limits.side)") {
        _ = try size(head, limits)
      }
    }
  }
}
