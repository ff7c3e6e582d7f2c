import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselGIF

struct LossTests {
  private typealias T = GIFTesting

  private func written(_ image: Image, loss: Int?) throws -> ImageBytes {
    try T.encode(image) { $0.settings[.gifLoss] = loss }
  }

  /// A picture of many colours and some noise; in a part of it nothing is seen.
  private func picture(hasAlpha: Bool = false, shift: Int = 0) throws -> Bitmap {
    var state = UInt32(7 + shift)
    return try Bitmap(112, 84, hasAlpha ? .rgba8 : .opaqueRGBA8) { x, y in
      state = state &* 1_664_525 &+ 1_013_904_223
      let noise = Int(state >> 28)
      if hasAlpha && (x / 8 + y / 8) % 5 == 0 { return [0, 0, 0, 0] }
      return [(x + shift) % 112 + noise, y * 2 + noise, (x ^ y) & 63, 255]
    }
  }

  @Test func moreLossIsFewerBytesAndLessLike() throws {
    let bitmap = try picture()
    var (size, score) = (try written(Image(bitmap), loss: nil).count, 100.0)
    for loss in [20, 60, 120, 200] {
      let bytes = try written(Image(bitmap), loss: loss)
      let likeness = try bitmap.visualScore(of: T.decode(bytes).bitmap)
      #expect(bytes.count < size && likeness < score, "loss \(loss)")
      (size, score) = (bytes.count, likeness)
    }
  }

  @Test func aLittleLossIsHardlySeen() throws {
    let bitmap = try picture()
    let plain = try written(Image(bitmap), loss: nil)
    let lossy = try written(Image(bitmap), loss: 20)
    #expect(lossy.count * 10 < plain.count * 9)
    let before = try bitmap.visualScore(of: T.decode(plain).bitmap)
    #expect(try bitmap.visualScore(of: T.decode(lossy).bitmap) > before - 12)
  }

  @Test func whatIsTransparentStaysSo() throws {
    let bitmap = try picture(hasAlpha: true)
    let again = try T.decode(written(Image(bitmap), loss: 200)).bitmap
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width { #expect(again.components(x, y)[3] == bitmap.components(x, y)[3]) }
    }
  }

  @Test(arguments: [(1, 1), (2, 1), (1, 9), (5000, 1), (70, 70)], [20, 200])
  func allSizesAreReadAgain(_ size: (width: Int, height: Int), loss: Int) throws {
    for colors in [1, 2, 3, 200] {
      let bitmap = try Bitmap(size.width, size.height, .opaqueRGBA8) { x, y in
        let index = (x * 7 + y * 3) % colors
        return [index, 255 - index, index * 5 % 256, 255]
      }
      let again = try T.decode(written(Image(bitmap), loss: loss)).bitmap
      #expect(again.size == bitmap.size)
      // The first pixel of a run is exact, and so is the first of the picture.
      #expect(again.components(0, 0) == bitmap.components(0, 0))
    }
  }

  /// More codes than a table of GIF holds, so that it begins anew several times.
  @Test func noiseFillsTheTable() throws {
    let bitmap = try Bitmap.noise(200, 200, .opaqueRGBA8)
    for loss in [1, 40] {
      let again = try T.decode(written(Image(bitmap), loss: loss)).bitmap
      #expect(again.signalToNoise(against: bitmap) > 12, "loss \(loss)")
    }
  }

  @Test func framesMoveOn() throws {
    let bitmaps = try (0..<4).map { try picture(hasAlpha: true, shift: 9 * $0) }
    let frames = Frames(bitmaps: bitmaps, durations: bitmaps.map { _ in .milliseconds(50) })
    let plain = try T.decode(written(frames.image, loss: nil)).frames
    let bytes = try written(frames.image, loss: 20)
    #expect(try bytes.count * 10 < written(frames.image, loss: nil).count * 9)
    let (before, again) = (try #require(plain), try #require(try T.decode(bytes).frames))
    #expect(again.count == 4)
    for index in 0..<4 {
      let (frame, near) = (bitmaps[index], try before.frame(at: index))
      let loss = try near.signalToNoise(against: frame) - again.frame(at: index).signalToNoise(against: frame)
      #expect(loss > 0 && loss < 12, "frame \(index) lost \(loss) dB")
    }
  }

  @Test func lossIsEffectiveFromOneTo200() {
    func effective(_ loss: Int?) -> EncodeOptions {
      var options = EncodeOptions()
      options.settings[.gifLoss] = loss
      return GIFCoder().effectiveOptions(options, for: .gif)
    }
    #expect(effective(nil) == effective(0) && effective(-4) == effective(nil))
    #expect(effective(20) != effective(nil) && effective(20) != effective(21))
    #expect(effective(200) == effective(9999) && effective(200).settings[.gifLoss] == 200)
  }

  @Test func theWorkCanBeCancelled() throws {
    var options = EncodeOptions()
    options.settings[.gifLoss] = 20
    let error = #expect(throws: ImageError.self) {
      try GIFCoder().encode(Image(picture()), as: .gif, options: options, work: WorkContext(isCancelled: true))
    }
    #expect(error?.code == .cancelled)
  }
}
