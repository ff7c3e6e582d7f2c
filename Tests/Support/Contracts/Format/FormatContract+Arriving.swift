import EaselCore
import EaselPixels
import EaselTestPixels

/// The rules about pictures that are decoded while they arrive.
extension FormatContract {
  func checkArrivedFrames(_ note: FormatFindings) throws {
    for pixels in [PixelFormat.rgba8, .opaqueRGBA8] {
      let moving = try moving(pixels, plays: 3)
      let bytes = try encode(moving.image, exact)
      let decoder = try makeDecoder(bytes)
      var counts: [Int] = []
      for end in stride(from: 50, to: bytes.count, by: 50) {
        try decoder.update(ImageBytes(Array(bytes[..<end])))
        guard let preview = try decoder.preview() else { continue }
        note.expect(preview.traits == .partial, "A preview after \(end) bytes has the traits \(preview.traits).")
        let count = preview.frames?.count ?? 1
        if count != counts.last { counts.append(count) }
        guard let shown = preview.frames else { continue }
        let (first, last) = (try shown.frame(at: 0), try shown.frame(at: count - 1).converted(to: .rgba8))
        let expected = try moving.bitmaps[count - 1].converted(to: .rgba8)
        note.expect(last == expected && preview.bitmap == first, "After \(end) bytes, frame \(count - 1) is another.")
        note.expect(
          shown.loopCount == 3 && shown.duration(at: count - 1) == moving.durations[count - 1],
          "After \(end) bytes, frames play \(shown.loopCount) times, the last \(shown.duration(at: count - 1)).")
      }
      // The end of a frame may be known when the next one begins.
      note.expect(counts == [1, 2, 3] || counts == [1, 2, 3, 4], "Previews play \(counts) frames one after another.")
      let image = try decoder.finish(ImageBytes(bytes))
      note.expect(
        image.frames?.count == 4 && image.traits == [], "At the end there are \(image.frames?.count ?? 1) frames.")
      let cut = Array(bytes.dropLast(100))
      note.expectError(.badImageData, "", "A file whose last frame is cut") { _ = try decode(cut) }
      let part = try decode(cut) { $0.damaged = .show }
      note.expect(
        part.traits == .partial && part.frames?.count == 3,
        "Of a file whose last frame is cut, \(part.frames?.count ?? 1) frames are shown.")
    }
  }

  func checkUprightPictures(_ note: FormatFindings) throws {
    let bitmaps = try (isExact ? [Bitmap.noise(96, 64, pixels)] : []) + [Bitmap.waves(96, 64)]
    for (bitmap, options) in bitmaps.flatMap({ bitmap in format.damagedWays.map { (bitmap, $0) } }) {
      for orientation in ImageMetadata.Orientation.allCases {
        let image = Image(bitmap, metadata: ImageMetadata(storedSize: bitmap.size, orientation: orientation))
        try checkUprightPicture(orientation, encode(image, options), note)
      }
    }
  }

  private func checkUprightPicture(
    _ orientation: ImageMetadata.Orientation, _ bytes: [UInt8], _ note: FormatFindings
  ) throws {
    let stored = try decode(bytes) { $0.appliesOrientation = false }
    for (width, height) in [(0, 0), (10, 10), (5, 60), (60, 35)] {
      let box = PixelSize(width: width, height: height)
      let what = "Standing \(orientation) in \(box)"
      let flat = try decode(bytes) { ($0.thumbnailSize, $0.appliesOrientation) = (box, false) }
      let expected = try flat.bitmap.oriented(orientation)
      let reduced = try stored.bitmap.resized(to: flat.size, linearLight: true)
      note.expect(
        flat.bitmap.signalToNoise(against: reduced) > 33 && flat.metadata.orientation == orientation,
        "\(what), it is another picture as it is stored.")
      var previews: [Image] = []
      let arrived = try decode(bytes, inPiecesOf: 100) {
        $0.thumbnailSize = box
      } previews: {
        previews.append($0)
      }
      for (image, way) in [(try decode(bytes) { $0.thumbnailSize = box }, "at once"), (arrived, "in pieces")] {
        note.expect(
          image.bitmap == expected && image.metadata.orientation == .up
            && image.metadata.storedSize == stored.size && image.traits == (width == 0 ? [] : .thumbnail),
          "\(what), it is another picture \(way), stored as \(image.metadata.storedSize), \(image.traits).")
      }
      for preview in previews {
        note.expect(
          preview.size == expected.size && preview.metadata.orientation == .up,
          "\(what), a preview is \(preview.size) and stands \(preview.metadata.orientation).")
      }
    }
  }

  func checkArrivedRows(_ note: FormatFindings) throws {
    for options in format.damagedWays {
      let bytes = try encode(Image(Bitmap.noise(60, 400, .opaqueRGBA8)), options)
      let whole = try decode(bytes)
      let half = Array(bytes.prefix(bytes.count / 2))
      func expectRows(_ image: Image, _ what: String) {
        let (top, bottom) = (image.bitmap.components(7, 20), image.bitmap.components(7, 399))
        note.expect(
          image.traits == .partial && image.size == whole.size && image.bitmap.format == .rgba8
            && top == whole.bitmap.components(7, 20) && bottom == [0, 0, 0, 0],
          "\(what) is \(image.size), \(image.traits), with \(top) in an upper row and \(bottom) in the last.")
      }
      let decoder = try makeDecoder(bytes)
      try decoder.update(ImageBytes(Array(bytes.prefix(20))))
      let early = try decoder.preview()
      note.expect(early == nil, "There is a preview after 20 bytes.")
      try decoder.update(ImageBytes(half))
      if let preview = try decoder.preview() {
        expectRows(preview, "The preview of half a file")
      } else {
        note.expect(false, "There is no preview of half a file.")
      }
      let again = try decoder.preview()
      note.expect(again == nil, "There is a second preview of the same bytes.")
      let image = try decoder.finish(ImageBytes(bytes))
      note.expect(image.bitmap == whole.bitmap && image.traits == [], "The end is another picture than at once.")
      note.expectError(.badImageData, "ends", "Half a file") { _ = try decode(half) }
      expectRows(try decode(half) { $0.damaged = .show }, "What is there of half a file")
      let pieces = try decode(half, inPiecesOf: 333) { $0.damaged = .show }
      expectRows(pieces, "What is there of half a file, in pieces,")
    }
  }
}
