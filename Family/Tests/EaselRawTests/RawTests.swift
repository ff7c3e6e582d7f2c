import EaselCore
import EaselPNG
import EaselTIFF
import FamilyTesting
import Foundation
import Testing

/// Photos written by the tests, beside what `dcraw` makes of them.
@Suite(.serialized)
struct RawTests {
  private let raw = HelperUnderTest("raw", beside: [PNGCoder(), TIFFCoder()])

  private func isReddish(_ color: [UInt8]) -> Bool { Int(color[0]) > Int(color[2]) + 60 }

  @Test func theCardIsRead() throws {
    #expect(raw.cards.mistakes.isEmpty, "\(raw.cards.mistakes)")
    #expect(raw.cards.cards.first?.formats.count == 10)
    try raw.helpers.start()
    let outcome = try Maker.run([raw.program])
    #expect(outcome.status == 2 && outcome.errors.contains("easel convert photo.nef"))
  }

  @Test func aRawPictureIsDevelopedAsDcrawDoes() throws {
    let photo = RawPhoto()
    let header = try raw.header(photo.data)
    #expect(header.format.mimeType == "image/x-adobe-dng" && header.storedSize == PixelSize(width: 120, height: 80))
    let image = try raw.image(photo.data)
    #expect(image.size == header.storedSize && image.bitmap.format.alpha == .opaque)
    #expect(isReddish(image.bitmap.color(30, 40)) && !isReddish(image.bitmap.color(90, 40)))
    try Maker.with { maker in
      try photo.data.write(to: maker.folder.appendingPathComponent("a.dng"))
      try maker.make("sh", "-c", "dcraw -w -t 0 -c a.dng > a.ppm && convert a.ppm a.png")
      let reference = try raw.image(try maker.data("a.png"))
      // They demosaic and brighten a little differently.
      #expect(image.bitmap.difference(reference.bitmap, over: 8) < 6)
    }
  }

  @Test(arguments: [(3, 90, 40), (6, 40, 30), (8, 40, 90)]) func thePictureIsUpright(_ tag: Int, _ x: Int, _ y: Int)
    throws
  {
    var photo = RawPhoto()
    photo.orientation = tag
    let image = try raw.image(photo.data)
    #expect(image.size == (tag == 3 ? PixelSize(width: 120, height: 80) : PixelSize(width: 80, height: 120)))
    #expect(isReddish(image.bitmap.color(x, y)), "\(image.bitmap.color(x, y))")
    #expect(image.metadata.orientation == .up)
  }

  /// The preview is green, which the raw picture is not.
  private func photo(_ maker: Maker, preview size: String, orientation: Int = 1) throws -> RawPhoto {
    try maker.make("convert", "-size", size, "xc:#20c020", "preview.jpg")
    var photo = RawPhoto()
    (photo.preview, photo.orientation) = (try maker.data("preview.jpg"), orientation)
    return photo
  }

  private func isGreen(_ bitmap: Bitmap) -> Bool {
    let color = bitmap.color(bitmap.width / 2, bitmap.height / 2)
    return color[1] > 170 && color[0] < 80 && color[2] < 80
  }

  @Test func aPreviewIsTakenWhereItIsLargeEnough() throws {
    try Maker.with { maker in
      let data = try photo(maker, preview: "60x40").data
      #expect(try raw.header(data).storedSize == PixelSize(width: 120, height: 80))
      for side in [30, 60] {
        let small = try raw.image(data, DecodeOptions(thumbnailSize: PixelSize(width: side, height: side)))
        #expect(small.size == PixelSize(width: side, height: side * 2 / 3) && isGreen(small.bitmap))
        #expect(small.traits.contains(.thumbnail))
      }
      let larger = try raw.image(data, DecodeOptions(thumbnailSize: PixelSize(width: 61, height: 61)))
      #expect(larger.size.width == 61 && !isGreen(larger.bitmap))
      #expect(!isGreen(try raw.image(data).bitmap))
    }
  }

  @Test func aPreviewOfAnotherAreaIsNotTaken() throws {
    try Maker.with { maker in
      let data = try photo(maker, preview: "60x60").data
      #expect(!isGreen(try raw.image(data, DecodeOptions(thumbnailSize: PixelSize(width: 30, height: 30))).bitmap))
    }
  }

  @Test func aPreviewIsTurnedAsThePictureIs() throws {
    try Maker.with { maker in
      try maker.make("convert", "-size", "30x40", "xc:red", "xc:blue", "+append", "preview.jpg")
      var photo = RawPhoto()
      (photo.preview, photo.orientation) = (try maker.data("preview.jpg"), 6)
      let image = try raw.image(photo.data, DecodeOptions(thumbnailSize: PixelSize(width: 60, height: 60)))
      #expect(image.size == PixelSize(width: 40, height: 60))
      #expect(isReddish(image.bitmap.color(20, 10)) && !isReddish(image.bitmap.color(20, 50)))
    }
  }

  @Test func aDamagedPreviewIsPassedOver() throws {
    var photo = RawPhoto()
    photo.preview = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data(repeating: 7, count: 400)
    let image = try raw.image(photo.data, DecodeOptions(thumbnailSize: PixelSize(width: 30, height: 30)))
    #expect(image.size == PixelSize(width: 30, height: 20) && isReddish(image.bitmap.color(5, 10)))
  }

  /// The helper is asked first, and leaves a TIFF to the coder that reads it.
  @Test func aTIFFIsStillReadAsOne() throws {
    try Maker.with { maker in
      try maker.make("convert", "-size", "30x20", "xc:orange", "a.tif")
      let image = try raw.image(try maker.data("a.tif"))
      #expect(image.format?.mimeType == "image/tiff" && image.size == PixelSize(width: 30, height: 20))
    }
  }

  @Test func limitsBindTheRawPicture() throws {
    var limits = Limits()
    limits.framePixels = 9000
    let error = raw.error(RawPhoto().data, limits: limits)
    #expect("\(error as Any)".contains("120x80"), "\(error as Any)")
  }

  /// A short form of what `EASEL_RAW_MUTATIONS=5000` does.
  @Test func changedBytesAreAnErrorOrAPicture() throws {
    let most = ProcessInfo.processInfo.environment["EASEL_RAW_MUTATIONS"].flatMap { Int($0) } ?? 60
    var limits = Limits()
    limits.decodeTime = .seconds(3)
    limits.framePixels = 1_000_000
    let seed = try Maker.with { Array(try photo($0, preview: "60x40").data) }
    var state: UInt64 = 51
    func next(_ most: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % most
    }
    var codes: [String: Int] = [:]
    for _ in 0..<most {
      var bytes = seed
      // Most bytes are pixels, so the directories at the beginning are changed more often.
      for _ in 0...next(6) { bytes[next(next(2) == 0 ? bytes.count : 900)] = UInt8(next(256)) }
      codes[
        raw.error(Data(bytes.prefix(next(8) == 0 ? next(bytes.count) : bytes.count)), limits: limits)?.code.name
          ?? "decoded", default: 0] += 1
    }
    print("Raw, \(most) changed photos: \(codes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
    #expect(
      codes.keys.allSatisfy {
        ["decoded", "badImageData", "limitExceeded", "decoderCrashed", "unsupportedFormat"].contains($0)
      })
  }
}
