import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselWebP

/// Files with impossible statements.
struct ScannerTests {
  private typealias T = WebPTesting

  private func failure(_ bytes: [UInt8], damaged: DamagePolicy = .whole) -> ImageError? {
    #expect(throws: ImageError.self) { try T.decode(ImageBytes(bytes)) { $0.damaged = damaged } }
  }

  @Test func theHeaderIsCheckedBeforeAnythingElse() {
    let error = failure(T.riff(T.extended(70_000, 3, [])))
    #expect(error?.code == .limitExceeded)
    #expect(
      error?.message == "WebP: VP8X claims 70000x3, over the limit of 65535 pixels a side. "
        + "Raise Limits.side to allow it.")
    #expect(failure(T.riff(T.extended(1 << 24, 1 << 24, [])))?.code == .limitExceeded)
  }

  @Test func aFileWithoutPixelsIsNoPicture() {
    for bytes in [
      Array("RIFF".utf8), T.riff([]), T.riff(T.chunk("JUNK", [1, 2, 3])), T.riff(T.extended(3, 3, [])),
      T.riff(T.extended(3, 3, .animation) + T.animation()), T.riff(T.chunk("VP8 ", [])), T.riff(T.chunk("VP8X", [0])),
      T.riff(T.chunk("VP8L", [UInt8](repeating: 0xFF, count: 40))), T.riff(T.extended(3, 3, []) + T.chunk("EXIF", [])),
    ] {
      let error = failure(bytes, damaged: .show)
      #expect(error?.code == .badImageData && error?.message.hasPrefix("WebP: ") == true, "\(bytes)")
    }
  }

  @Test func pixelsMustHaveTheSizeOfTheCanvas() throws {
    let pixels = try T.pixels(Bitmap(3, 3, .white))
    #expect(failure(T.riff(T.extended(3, 4, []) + pixels))?.message.contains("do not fit") == true)
    #expect(throws: Never.self) { try T.decode(ImageBytes(T.riff(T.extended(3, 3, []) + pixels))) }
  }

  @Test func framesMustLieOnTheCanvas() throws {
    let pixels = try T.pixels(Bitmap(3, 3, .white))
    let start = T.extended(8, 8, .animation) + T.animation()
    let bytes = T.riff(start + T.frame(pixels) + T.frame(pixels, x: 6, y: 0))
    #expect(failure(bytes)?.message.contains("do not fit") == true)
    let part = try T.decode(ImageBytes(bytes)) { $0.damaged = .show }
    #expect(part.traits == .partial && part.frames == nil)
  }

  @Test func whatIsWrongAfterAFrameIsDamage() throws {
    let pixels = try T.pixels(Bitmap(3, 3, .white))
    let start = T.extended(8, 8, .animation) + T.animation() + T.frame(pixels)
    for (rest, reason) in [
      (T.frame([]), "has no pixels"), (T.frame(T.chunk("JUNK", [1])), "has no pixels"),
      (T.chunk("ANMF", [1, 2]), "too few for a frame"), (pixels, "outside the frames"),
      (Array(T.chunk("JUNK", Array(repeating: 0, count: 50)).prefix(20)), "more than its container has"),
      (T.frame(Array(pixels.prefix(14))), "more than its container has"),
      (T.frame(T.chunk("VP8L", [1, 2, 3])), "does not begin like a picture"),
    ] {
      let bytes = T.riff(start + rest)
      let error = failure(bytes)
      #expect(error?.code == .badImageData && error?.message.contains(reason) == true, "\(reason): \(error as Any)")
      #expect(try T.decode(ImageBytes(bytes)) { $0.damaged = .show }.traits == .partial, "\(reason)")
      #expect(throws: ImageError.self, "\(reason)") { try T.decodeInPieces(bytes, of: 5) }
    }
  }

  @Test func framesBeforeTheirHeadAreRefused() throws {
    let pixels = try T.pixels(Bitmap(3, 3, .white))
    let bytes = T.riff(T.extended(8, 8, .animation) + T.frame(pixels))
    #expect(failure(bytes)?.message == "WebP: the first frame comes before ANIM.")
  }

  @Test func chunksThatNobodyKnowsAreSteppedOver() throws {
    let bitmap = try Bitmap.noise(8, 8, .rgba8)
    let pixels = try T.pixels(bitmap)
    let junk = T.chunk("JUNK", [1, 2, 3])
    let still = T.riff(T.extended(8, 8, .alpha) + junk + T.frame(pixels) + pixels + junk + pixels)
    #expect(try T.decode(ImageBytes(still)).bitmap == bitmap)
    let moving = T.riff(
      T.extended(8, 8, [.animation, .alpha]) + junk + T.animation() + T.frame(junk + pixels + junk) + junk
        + T.frame(pixels))
    #expect(try T.decode(ImageBytes(moving)).frames?.count == 2)
    #expect(try T.decodeInPieces(moving, of: 3).bitmap == bitmap)
  }

  @Test func metadataThatIsNotAnnouncedIsLeftOut() throws {
    let pixels = try T.pixels(Bitmap(8, 8, .white))
    let exif = T.chunk("EXIF", [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 0])
    let silent = try T.coder.probe(ImageBytes(T.riff(T.extended(8, 8, []) + pixels + exif)), work: WorkContext())
    #expect(silent.exifBytes == 0)
    let announced = try T.coder.probe(
      ImageBytes(T.riff(T.extended(8, 8, .exif) + pixels + exif)), work: WorkContext())
    #expect(announced.exifBytes == 10)
  }

  @Test func tooMuchMetadataIsRefused() throws {
    let pixels = try T.pixels(Bitmap(8, 8, .white))
    let bytes = T.riff(
      T.extended(8, 8, [.profile, .xmp]) + T.chunk("ICCP", Array(repeating: 1, count: 60)) + pixels
        + T.chunk("XMP ", Array(repeating: 32, count: 60)))
    var limits = Limits()
    limits.metadataBytes = 119
    let error = #expect(throws: ImageError.self) {
      try T.decode(ImageBytes(bytes), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.metadataBytes") == true)
    limits.metadataBytes = 120
    #expect(throws: Never.self) { try T.decode(ImageBytes(bytes), work: WorkContext(limits: limits)) }
  }

  @Test func aContainerThatPromisesMoreIsCutShort() throws {
    var bytes = try T.riff(T.pixels(Bitmap(8, 8, .white)))
    bytes[4] += 2
    #expect(failure(bytes, damaged: .refuse)?.message.contains("the file ends after") == true)
    // Of a still picture no pixels can be missing behind the last ones.
    for damaged in [DamagePolicy.whole, .show] {
      let image = try T.decode(ImageBytes(bytes)) { $0.damaged = damaged }
      #expect(image.traits == [] && image.metadata.notes.count == 1)
    }
    let pixels = try T.pixels(Bitmap(3, 3, .white))
    var moving = T.riff(T.extended(8, 8, .animation) + T.animation() + T.frame(pixels) + T.frame(pixels))
    moving[4] += 2
    #expect(failure(moving)?.message.contains("the file ends after") == true)
    #expect(try T.decode(ImageBytes(moving)) { $0.damaged = .show }.traits == .partial)
  }

  @Test func aPictureThatReachesOutOfItsContainerIsRefused() throws {
    var bytes = try T.riff(T.pixels(Bitmap(8, 8, .white)))
    bytes[4] -= 2
    #expect(failure(bytes, damaged: .show)?.message.contains("more than its container has") == true)
  }

  // MARK: How the work grows, and where it ends

  private func moving(frames count: Int) throws -> [UInt8] {
    let pixels = try T.pixels(Bitmap(2, 2, .white))
    let frames = (0..<count).flatMap { T.frame(pixels, x: 2 * ($0 % 2), delay: 20) }
    return T.riff(T.extended(4, 2, [.animation, .alpha]) + T.animation() + frames)
  }

  @Test func tenThousandFramesInSmallPiecesAreWalkedOverOnce() throws {
    let bytes = try moving(frames: 10_000)
    var scanner = WebPScanner(limits: Limits())
    var updates = 0
    var files: [WebPFile] = []
    try feed(bytes, inPiecesOf: 120) { bytes in
      try scanner.advance(over: bytes, isWhole: false, work: WorkContext())
      updates += 1
      if let file = scanner.file { files.append(file) }
    }
    #expect(scanner.file?.frames.count == 10_000)
    // Each frame has a head, pixels and an end, and each piece costs one attempt too many.
    #expect(scanner.steps <= 3 * 10_000 + updates + 10)
    #expect(files.allSatisfy { $0.frames.sharesList(with: scanner.file!.frames) })
  }

  @Test func aPreviewOfEachPieceShowsTheFramesThatAreWhole() throws {
    let bytes = try moving(frames: 3000)
    let decoder = try #require(try T.coder.makeDecoder(prefix: bytes, options: DecodeOptions(), work: WorkContext()))
    var counts: [Int] = []
    try feed(bytes, inPiecesOf: 300) { bytes in
      try decoder.update(bytes)
      if let frames = try decoder.preview()?.frames { counts.append(frames.count) }
    }
    #expect(counts.count > 400 && counts == Set(counts).sorted() && counts.last! >= 2990)
    let image = try decoder.finish(ImageBytes(bytes))
    #expect(image.frames?.count == 3000)
    #expect(try image.frames?.frame(at: 2999).components(3, 1) == [255, 255, 255, 255])
  }

  // MARK: Orientation

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func theOrientationOfXMPCountsWhereEXIFHasNone(orientation: ImageMetadata.Orientation) throws {
    let bitmap = try Bitmap.noise(40, 24, .rgba8)
    let packet = Array(
      "<d xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='\(orientation.rawValue)'/>".utf8)
    let silent: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 0]
    let (pixels, xmp) = (try T.pixels(bitmap), T.chunk("XMP ", packet))
    let upright = try bitmap.oriented(orientation)
    for bytes in [
      T.riff(T.extended(40, 24, [.alpha, .xmp]) + pixels + xmp),
      T.riff(T.extended(40, 24, [.alpha, .xmp, .exif]) + pixels + T.chunk("EXIF", silent) + xmp),
    ] {
      #expect(try T.coder.probe(ImageBytes(bytes), work: WorkContext()).orientation == orientation)
      let image = try T.decode(ImageBytes(bytes))
      #expect(image.bitmap == upright && image.metadata.orientation == .up)
      #expect(image.metadata.xmp.map { XMP($0).orientation } == .up)
      #expect(try T.decodeInPieces(bytes, of: 100).bitmap == upright)
      let box = PixelSize(width: 10, height: 10)
      let small = try T.decode(ImageBytes(bytes)) { $0.thumbnailSize = box }
      #expect(small.size == upright.size.thumbnail(in: box))
      #expect(try T.decodeInPieces(bytes, of: 100) { $0.thumbnailSize = box }.bitmap == small.bitmap)
      let again = try T.encode(image) {
        T.lossless(&$0)
        $0.keepsMetadata = true
      }
      #expect(try T.decode(again).bitmap == upright)
    }
    let other = T.riff(
      T.extended(40, 24, [.alpha, .xmp, .exif]) + pixels + xmp
        + T.chunk("EXIF", Array(EXIF(orientation: .down).bytes)))
    #expect(try T.decode(ImageBytes(other)).bitmap == bitmap.oriented(.down))
    #expect(try T.decodeInPieces(other, of: 100).bitmap == bitmap.oriented(.down))
  }
}
