import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials

/// The rules about moving pictures.
extension FormatContract {
  private var isPages: Bool { format.motion?.isPages == true }
  private var delays: [Duration] { [20, 30, 500, 70].map { isPages ? .zero : .milliseconds($0) } }

  /// Four frames whose pixels come back, of noise unless the format has others.
  func moving(_ pixels: PixelFormat? = nil, plays: Int = 0) throws -> Frames {
    let pixels = pixels ?? self.pixels
    let bitmaps = try format.motion?.bitmaps ?? (0..<4).map { try Bitmap.noise(24, 18, pixels, seed: $0) }
    return Frames(bitmaps: bitmaps, durations: delays, loopCount: isPages ? 1 : plays)
  }

  private var framesAreExact: Bool { isExact || format.motion?.bitmaps != nil }

  private func frames(_ bytes: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> any FrameSource {
    guard let frames = try decode(bytes, change).frames else {
      throw ImageError(.badImageData, "The picture has no frames.")
    }
    return frames
  }

  func checkFrames(_ note: FormatFindings) throws {
    note.expect(encoder?.writesFrames(as: format.format) == true, "The coder says that files have one picture.")
    let kinds = format.motion?.bitmaps == nil ? format.exactFormats : [pixels]
    let usual = (isPages ? [] : [0, 1, 2, 7]).map { (pixels, $0) }
    for (pixels, plays) in kinds.map({ ($0, isPages ? 1 : 3) }) + usual {
      let moving = try moving(pixels, plays: plays)
      let bytes = try encode(moving.image, exact)
      let what = "Frames of \(pixels) that play \(plays) times"
      let header = try probe(bytes)
      note.expect(
        header.frameCount == 4 && header.loopCount == plays && (isPages || header.storedDelays == delays),
        "\(what) are \(header.frameCount) that play \(header.loopCount) times by their header.")
      let image = try decode(bytes) { $0.keeps16Bits = true }
      guard let frames = image.frames, framesAreExact else {
        note.expect(image.frames?.count == 4, "\(what) come back as \(image.frames?.count ?? 1).")
        continue
      }
      note.expect(frames.loopCount == plays, "\(what) come back as such that play \(frames.loopCount) times.")
      note.expect((0..<4).map(frames.duration(at:)) == delays, "\(what) have other delays.")
      note.expect(image.bitmap == moving.bitmaps[0], "\(what) are shown as another picture.")
      for index in [0, 1, 2, 3, 2, 0, 3, 3, 1] {
        let frame = try frames.frame(at: index)
        note.expect(frame == moving.bitmaps[index], "\(what) have another frame \(index).")
      }
      for index in [-1, 4] {
        do {
          _ = try frames.frame(at: index)
          note.expect(false, "\(what) have a frame \(index).")
        } catch {
          note.expect(error is ImageError, "\(what) end with \(error) when they are asked for frame \(index).")
        }
      }
    }
  }

  func checkEqualFrames(_ note: FormatFindings) throws {
    var moving = try moving()
    moving.bitmaps = Array(repeating: moving.bitmaps[0], count: 4)
    for options in [EncodeOptions(), exact] {
      let frames = try frames(encode(moving.image, options))
      note.expect(
        frames.count == 4 && (0..<4).map(frames.duration(at:)) == delays,
        "Four equal frames come back as \(frames.count), or with other delays.")
      guard options == exact, framesAreExact else { continue }
      for index in 0..<4 {
        let frame = try frames.frame(at: index)
        note.expect(frame == moving.bitmaps[0], "Of four equal frames, \(index) is another.")
      }
    }
  }

  func checkFirstFrame(_ note: FormatFindings) throws {
    let moving = try moving()
    let bytes = try encode(moving.image, exact)
    let first = try decode(bytes) { $0.firstFrameOnly = true }
    let alone = try encode(moving.image, exact) { $0.firstFrameOnly = true }
    for (image, what) in [(first, "read"), (try decode(alone), "written")] {
      note.expect(
        image.frames == nil && (!framesAreExact || image.bitmap == moving.bitmaps[0]),
        "The first frame, \(what) alone, has \(image.frames?.count ?? 1) frames, or is another.")
    }
    let count = try probe(alone).frameCount
    note.expect(count == 1, "The first frame, written alone, is \(count) frames by the header.")
  }

  func checkOtherFrames(_ note: FormatFindings) throws {
    let gray = try moving(.gray8)
    let grayFrames = try frames(encode(gray.image, exact))
    for index in 0..<4 {
      let (frame, expected) = (try grayFrames.frame(at: index), try gray.bitmaps[index].converted(to: .opaqueRGBA8))
      note.expect(frame == expected, "Grey frames have another frame \(index).")
    }
    var mixed = try moving(.opaqueRGBA8)
    mixed.bitmaps[3] = try Bitmap.noise(24, 18, .rgba8)
    let mixedFrames = try frames(encode(mixed.image, exact))
    for index in [3, 0] {
      let (frame, bitmap) = (try mixedFrames.frame(at: index), mixed.bitmaps[index])
      // Each page has a format of its own, and all other frames one that holds them all.
      let expected = isPages ? bitmap : try bitmap.converted(to: .rgba8)
      note.expect(frame == expected, "Of frames whose last has alpha, \(index) is another.")
    }
  }

  func checkImpossibleFrames(_ note: FormatFindings) throws {
    let (usual, negative) = (Duration.milliseconds(50), Duration.milliseconds(-50))
    for (plays, delay, width) in [(-1, usual, 4), (Int.min, usual, 4), (0, negative, 4), (0, usual, 3), (0, usual, 5)] {
      // Nobody looks at the delays of pages.
      if isPages && delay == negative { continue }
      let bitmaps = try [4, width].map { try Bitmap($0, 4, .white) }
      let frames = Frames(bitmaps: bitmaps, durations: [usual, delay], loopCount: plays)
      note.expectError(
        .encodeFailed, "the moving picture", "A picture of \(plays) plays with a frame of \(width)x4 for \(delay)"
      ) { _ = try encode(frames.image) }
    }
    for count in [0, -1, Int.min, .max] {
      let code: ImageError.Code = count == .max ? .limitExceeded : .encodeFailed
      let image = Image(try Bitmap(4, 4, .white), frames: NoFrames(count: count))
      note.expectError(code, "claims \(count) frames", "A picture of \(count) frames") { _ = try encode(image) }
    }
  }

  func checkMostPlays(_ note: FormatFindings) throws {
    guard let most = format.motion?.most else { return }
    var moving = try moving(plays: .max)
    let bitmaps = moving.bitmaps
    moving.bitmaps = (0..<24).map { bitmaps[$0 % 4] }
    moving.durations = Array(repeating: .seconds(Int64.max), count: 24)
    let frames = try frames(encode(moving.image))
    note.expect(
      frames.loopCount == most.plays, "More plays than \(most.plays) come back as \(frames.loopCount).")
    for index in 0..<24 {
      let delay = frames.duration(at: index)
      note.expect(delay == most.delay, "A longer delay than \(most.delay) comes back as \(delay).")
    }
  }

  func checkDelays(_ note: FormatFindings) throws {
    var moving = try moving()
    moving.durations = [.microseconds(16_667), .microseconds(16_667), .microseconds(16_666), .zero]
    let delays = try probe(encode(moving.image)).storedDelays
    note.expect(delays == [17, 16, 17, 1].map { .milliseconds($0) }, "A sixtieth of a second is written as \(delays).")
  }

  func checkFrameMetadata(_ note: FormatFindings) throws {
    var image = try moving().image
    image.metadata.xmp = Data("<x:xmpmeta/>".utf8)
    image.metadata.orientation = .right
    let bytes = try encode(image) { $0.keepsMetadata = true }
    let raw = try decode(bytes) { $0.appliesOrientation = false }.metadata
    note.expect(
      raw.orientation == .right && raw.xmp == image.metadata.xmp,
      "Frames that stand right stand \(raw.orientation), or their XMP is lost.")
    let upright = try decode(bytes)
    note.expect(
      upright.size == PixelSize(width: 18, height: 24) && upright.frames?.canvasSize == upright.size,
      "Frames of 24x18 that stand right are \(upright.size), and \(upright.frames?.canvasSize as Any).")
  }

  func checkSmallFrames(_ note: FormatFindings) throws {
    for pixels in format.motion?.bitmaps == nil ? Set([pixels, .opaqueRGBA8]) : [pixels] {
      try checkSmallFrames(of: moving(pixels), note)
    }
  }

  private func checkSmallFrames(of moving: Frames, _ note: FormatFindings) throws {
    let bytes = try encode(moving.image, exact)
    let whole = try frames(bytes)
    let image = try decode(bytes) { $0.thumbnailSize = PixelSize(width: 8, height: 8) }
    guard let small = image.frames else { return note.expect(false, "A moving thumbnail does not move.") }
    let expected = moving.bitmaps[0].size.thumbnail(in: PixelSize(width: 8, height: 8))
    note.expect(
      image.size == expected && small.canvasSize == expected && image.traits == .thumbnail,
      "A moving thumbnail in 8x8 is \(image.size), its frames \(small.canvasSize), its traits \(image.traits).")
    for index in [2, 0, 3] {
      let (frame, full) = (
        try small.frame(at: index), try whole.frame(at: index).resized(to: expected, linearLight: true)
      )
      let fault = fault(of: frame, madeOf: full)
      note.expect(fault == nil, "The small frame \(index) of \(frame.format) \(fault ?? "").")
    }
    let first = try small.frame(at: 0)
    note.expect(first == image.bitmap, "The picture of a moving thumbnail is not its first frame.")
  }

  /// The fault of a small frame; nil if it is that of all pixels, or as similar as is promised.
  private func fault(of frame: Bitmap, madeOf expected: Bitmap) -> String? {
    guard let least = format.motion?.smallDecibels else {
      return frame == expected ? nil : "differs by \(frame.largestDifference(from: expected))"
    }
    if frame.format.alpha == .opaque {
      let difference = frame.largestDifference(from: expected)
      return difference <= 1 ? nil : "differs by \(difference)"
    }
    let found = frame.signalToNoise(against: expected)
    return found > least ? nil : "has \(found) dB, of which \(least) are promised"
  }

  func checkUprightFrames(_ note: FormatFindings) throws {
    let moving = try moving()
    for orientation in ImageMetadata.Orientation.allCases {
      var image = moving.image
      image.metadata.orientation = orientation
      let bytes = try encode(image, exact)
      for side in [0, 9] {
        let change: (inout DecodeOptions) -> Void = { $0.thumbnailSize = PixelSize(width: side, height: side) }
        let pictures =
          try [decode(bytes, change)] + (progressive == nil ? [] : [decode(bytes, inPiecesOf: 300, change)])
        for (way, picture) in pictures.enumerated() {
          let what = "Standing \(orientation) in \(side)x\(side)\(way == 1 ? ", in pieces" : "")"
          let size = orientation.swapsSides ? picture.size.transposed : picture.size
          note.expect(picture.frames?.count == 4, "\(what), there are \(picture.frames?.count ?? 1) frames.")
          for index in 0..<(picture.frames?.count ?? 0) {
            let flat = try moving.bitmaps[index].resized(to: size, linearLight: true)
            let (frame, upright) = (try picture.frames!.frame(at: index), try flat.oriented(orientation))
            let fault = side > 0 ? fault(of: frame, madeOf: upright) : frame == upright ? nil : "is another"
            note.expect(fault == nil, "\(what), frame \(index) \(fault ?? "").")
          }
          let first = try picture.frames?.frame(at: 0)
          note.expect(first == picture.bitmap, "\(what), the picture is not the first frame.")
        }
      }
    }
  }

  func checkFrameLimits(_ note: FormatFindings) throws {
    let moving = try moving()
    let (bytes, area) = (try encode(moving.image), moving.bitmaps[0].size.area)
    let text = "claims 4 frames, over the limit of 3 frames. Raise Limits.frames to allow it."
    note.expectError(.limitExceeded, text, "A picture of 4 frames, of which 3 are allowed,") {
      _ = try decode(bytes, limits: Limits(frames: 3))
    }
    note.expectError(.limitExceeded, text, "A header of 4 frames, of which 3 are allowed,") {
      _ = try probe(bytes, limits: Limits(frames: 3))
    }
    let limits = Limits(totalPixels: area * 4 - 1)
    note.expectError(.limitExceeded, "Limits.totalPixels", "Frames of one pixel more than is allowed") {
      _ = try decode(bytes, limits: limits)
    }
    // Frames that nobody asked for do not count.
    let count = try probe(bytes, limits: limits).frameCount
    note.expect(count == 4, "The header has \(count) frames.")
    let first = try decode(bytes, limits: limits) { $0.firstFrameOnly = true }
    note.expect(first.frames == nil, "The first frame alone moves.")
    let small = try decode(bytes, limits: limits) { $0.thumbnailSize = PixelSize(width: 8, height: 8) }
    note.expect(small.frames?.count == 4, "Small frames count as large ones.")
  }
}
