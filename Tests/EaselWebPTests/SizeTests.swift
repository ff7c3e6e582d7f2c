import EaselCore
import EaselTestPixels
import Testing

@testable import EaselWebP

/// The size, read without the rest of the file.
struct SizeTests {
  private typealias T = WebPTesting

  private func size(_ bytes: [UInt8], _ limits: Limits = Limits()) throws -> PixelSize {
    try T.coder.storedSize(of: ImageBytes(bytes), work: WorkContext(limits: limits))
  }

  @Test(arguments: [false, true])
  func nothingBehindTheFirstHeaderIsRead(lossless: Bool) throws {
    let file = try T.encode(Image(Bitmap.waves(30, 20))) { $0.lossless = lossless }
    let beginning = try file.prefix(44)
    #expect(try size(beginning) == PixelSize(width: 30, height: 20))
    #expect(try size(beginning + [UInt8](repeating: 255, count: file.count)) == PixelSize(width: 30, height: 20))
  }

  @Test func theCanvasOfAMovingPictureIsEnough() throws {
    #expect(try size(T.riff(T.extended(7, 5, .animation))) == PixelSize(width: 7, height: 5))
  }

  @Test func aHeaderThatIsNoneIsAnError() throws {
    let file = try T.encode(Image(Bitmap.waves(30, 20)))
    for count in 0..<20 {
      let error = #expect(throws: ImageError.self) { try size(file.prefix(count)) }
      #expect(error?.code == .badImageData && error?.message.hasPrefix("WebP: ") == true, "\(count) bytes")
    }
  }

  @Test func limitsHold() throws {
    var limits = Limits()
    limits.side = 4
    let error = #expect(throws: ImageError.self) { try size(T.riff(T.extended(7, 5, .animation)), limits) }
    #expect(error?.code == .limitExceeded)
  }
}
