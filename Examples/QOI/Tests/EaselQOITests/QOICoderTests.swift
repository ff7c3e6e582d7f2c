import EaselCore
import EaselManager
import EaselQOI
import EaselTestSupport
import Testing

struct QOICoderTests {
  private let coder = QOICoder()

  /// A picture with runs, small steps, large steps and recently seen pixels.
  private func bitmap(_ width: Int, _ height: Int, _ format: PixelFormat) throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: format)
    let bytesPerRow = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let start = y * bytesPerRow + x * 4
          bytes[start] = UInt8(truncatingIfNeeded: y < 2 ? 9 : x * 3 + y)
          bytes[start + 1] = UInt8(truncatingIfNeeded: x / 8 * 40)
          bytes[start + 2] = UInt8(truncatingIfNeeded: y % 5 == 0 ? x * x * 7 : y)
          bytes[start + 3] = format.alpha == .opaque ? 255 : UInt8(truncatingIfNeeded: x / 5 * 60)
        }
      }
    }
    return bitmap
  }

  private func encoded(_ bitmap: Bitmap) throws -> ImageBytes {
    try coder.encode(Image(bitmap), as: .qoi, options: EncodeOptions(), work: WorkContext())
  }

  @Test(arguments: [PixelFormat.rgba8, .opaqueRGBA8], [(1, 1), (70, 3), (33, 21)])
  func everyPixelComesBack(format: PixelFormat, size: (Int, Int)) throws {
    let bitmap = try bitmap(size.0, size.1, format)
    let again = try coder.decode(encoded(bitmap), options: DecodeOptions(), work: WorkContext())
    #expect(again.bitmap == bitmap)
  }

  @Test func itKeepsTheContractOfCoders() async throws {
    let samples = try [
      ImageSample("with alpha", bytes: Array(encoded(bitmap(40, 30, .rgba8)).data()), signature: [0..<4]),
      ImageSample("opaque", bytes: Array(encoded(bitmap(40, 30, .opaqueRGBA8)).data()), signature: [0..<4]),
    ]
    let violations = await ImageCoderContract(coder, samples: samples).check()
    #expect(violations == [])
  }

  @Test func itsContextKeyChangesPixelsAndKey() async throws {
    let loader = FakeLoader()
    let request = ImageRequest("http://host/a.qoi")
    loader.script(request.url!, .body(Array(try encoded(bitmap(9, 9, .rgba8)).data())))
    let manager = ImageManager(
      ImageManager.Configuration(loader: loader, coder: CoderRegistry([QOICoder()]), cache: TieredCache()))
    var opaque = request
    opaque.context[.qoiIgnoresAlpha] = true
    #expect(try await manager.image(for: request).bitmap.format.alpha == .straight)
    #expect(try await manager.image(for: opaque).bitmap.format.alpha == .opaque)
    #expect(manager.cacheKey(for: request) != manager.cacheKey(for: opaque))
  }

  @Test func aHeaderThatLiesIsRefused() throws {
    var bytes = Array(try encoded(bitmap(4, 4, .rgba8)).data())
    bytes[4] = 0x7F
    let error = #expect(throws: ImageError.self) {
      try coder.decode(ImageBytes(bytes), options: DecodeOptions(), work: WorkContext())
    }
    #expect(error?.code == .limitExceeded)
  }
}
