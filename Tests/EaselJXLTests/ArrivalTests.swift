import EaselCore
import EaselTestCorpus
import EaselTestPixels
import Testing

@testable import EaselJXL

/// Pictures that are decoded while they arrive.
struct ArrivalTests {
  private typealias T = JXLTesting

  private func decoder(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) throws -> any ProgressiveDecoder {
    try #require(try T.coder.makeDecoder(prefix: Array(bytes.prefix(64)), options: options, work: WorkContext()))
  }

  @Test(arguments: [false, true])
  func theEndIsThePictureDecodedAtOnce(isLossless: Bool) throws {
    let bytes = try T.encode(Image(T.softAlpha(601, 403))) { $0.lossless = isLossless }.array
    let whole = try T.decode(ImageBytes(bytes))
    for step in [1009, 5003, bytes.count] {
      let decoder = try decoder(bytes)
      for end in stride(from: step, to: bytes.count, by: step) {
        try decoder.update(ImageBytes(Array(bytes[..<end])))
        if let preview = try decoder.preview() {
          #expect(preview.size == whole.size && preview.traits == .partial)
        }
      }
      let image = try decoder.finish(ImageBytes(bytes))
      #expect(image.bitmap == whole.bitmap && image.traits == [])
    }
  }

  @Test func aLossyPictureIsShownBeforeItIsThere() throws {
    let bitmap = try Bitmap.waves(900, 700)
    let bytes = try T.encode(Image(bitmap)) { $0.quality = 0.95 }.array
    let decoder = try decoder(bytes)
    try decoder.update(ImageBytes(Array(bytes[..<(bytes.count * 3 / 4)])))
    let preview = try #require(try decoder.preview())
    #expect(preview.bitmap.signalToNoise(against: bitmap) > 15)
    #expect(try decoder.preview() == nil, "Nothing new has come.")
  }

  @Test func thumbnailsAndTurnsAreThoseOfTheWholePicture() throws {
    let metadata = ImageMetadata(storedSize: PixelSize(width: 200, height: 100), orientation: .right)
    let bytes = try T.encode(Image(Bitmap.waves(200, 100), metadata: metadata)).array
    let options = DecodeOptions(thumbnailSize: PixelSize(width: 20, height: 40))
    let decoder = try decoder(bytes, options)
    try decoder.update(ImageBytes(Array(bytes[..<(bytes.count - 5)])))
    if let preview = try decoder.preview() { #expect(preview.size == PixelSize(width: 20, height: 40)) }
    let whole = try T.coder.decode(ImageBytes(bytes), options: options, work: WorkContext())
    #expect(try decoder.finish(ImageBytes(bytes)).bitmap == whole.bitmap)
  }

  @Test func framesPlayAtTheEnd() throws {
    let moving = try T.moving()
    let bytes = try T.encode(moving.image, T.lossless).array
    let decoder = try decoder(bytes)
    try decoder.update(ImageBytes(Array(bytes[..<(bytes.count / 2)])))
    _ = try decoder.preview()
    let frames = try #require(try decoder.finish(ImageBytes(bytes)).frames)
    for index in [3, 0, 2] { #expect(try frames.frame(at: index) == moving.bitmaps[index]) }
  }

  /// A picture of 8 by 8 pixels on which libjxl puts noise.
  private static let noisy: [UInt8] = [
    0xff, 0x0a, 0x41, 0x40, 0x42, 0x71, 0x21, 0x18, 0x20, 0x08, 0x00, 0xe0, 0x00, 0x00, 0x04, 0x30, 0x00, 0x01, 0x06,
    0x1c,
    0x90, 0xc0, 0x02, 0x00, 0x30, 0x00, 0x50, 0x00, 0x50, 0x4a, 0x38, 0x41, 0xe6, 0xad, 0xdc, 0x29, 0x52, 0xa8, 0x87,
    0x39,
    0x20, 0x93, 0x41, 0x26, 0x83, 0x9a, 0x8c, 0x79, 0x8a, 0x90, 0x50, 0xe0, 0x93, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0x00,
    0x00,
    0x00, 0x00, 0x00, 0x00, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0x00, 0x00, 0x00, 0x0c, 0x4a, 0x58, 0x4c, 0x20, 0x6a,
    0x78,
    0x6c, 0xff, 0xaa, 0xaa, 0xaa, 0xaa, 0x2a, 0x0a, 0x47, 0x40, 0x24, 0x08, 0x06, 0x01, 0x00, 0x3c, 0x00, 0x4b, 0x38,
    0x32,
    0x6b, 0xa5, 0x58, 0xcb, 0xaf, 0xd0, 0xf3, 0x10, 0xc2, 0x48, 0x12, 0x0e,
  ]

  @Test func aHeaderInPiecesGivesNoOtherNoise() throws {
    let whole = try T.decode(ImageBytes(Self.noisy))
    for end in 1..<Self.noisy.count {
      let decoder = try decoder(Self.noisy)
      try decoder.update(ImageBytes(Array(Self.noisy[..<end])))
      #expect(try decoder.finish(ImageBytes(Self.noisy)).bitmap == whole.bitmap, "\(end) bytes first")
    }
  }

  @Test func aCutBodyIsAnError() throws {
    let bytes = try T.encode(Image(Bitmap.waves(100, 80))).array
    let decoder = try decoder(bytes)
    let part = ImageBytes(Array(bytes.dropLast(10)))
    try decoder.update(part)
    let error = #expect(throws: ImageError.self) { try decoder.finish(part) }
    #expect(error?.code == .badImageData)
  }

  @Test(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
  func everyFileOfTheCorpusIsTheSameInPieces() throws {
    let checks = CorpusChecks(JXLCoder(), format: "jxl", isUpright: true, corpus: try #require(Corpus.otherFormats))
    #expect(checks.piecesOf(4096) == [])
  }
}
