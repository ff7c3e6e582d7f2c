import EaselCore
import FamilyTesting
import Foundation
import Testing

/// Animations written by hand, and archives of other programs.
@Suite(.serialized)
struct LottieTests {
  private let lottie = HelperUnderTest("lottie")

  /// The red, green, blue and alpha of a pixel.
  private func pixel(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> [UInt8] {
    bitmap.withUnsafeBytes { bytes in
      let start = y * bitmap.bytesPerRow + 4 * x
      return Array(bytes[start..<(start + 4)])
    }
  }

  @Test func theCardIsRead() throws {
    #expect(lottie.cards.mistakes.isEmpty, "\(lottie.cards.mistakes)")
    try lottie.helpers.start()
    let outcome = try Maker.run([lottie.program])
    #expect(outcome.status == 2 && outcome.errors.contains("easel convert animation.lottie"))
  }

  @Test func framesAreDrawnOnDemand() throws {
    let header = try lottie.header(Animation().data)
    #expect(header.format.mimeType == "video/lottie+json" && header.storedSize == PixelSize(width: 100, height: 80))
    #expect(header.frameCount == 30 && header.hasAlpha && header.loopCount == 0)
    let image = try lottie.image(Animation().data)
    let frames = try #require(image.frames)
    #expect(frames.count == 30 && frames.loopCount == 0)
    #expect(abs((frames.duration(at: 3) - .seconds(1.0 / 30)).components.attoseconds) < 1_000_000_000_000)
    #expect(pixel(image.bitmap, 20, 40) == [255, 0, 0, 255] && pixel(image.bitmap, 80, 40)[3] == 0)
    let last = try frames.frame(at: 29)
    #expect(pixel(last, 78, 40) == [255, 0, 0, 255] && pixel(last, 20, 40)[3] == 0)
    // Any order is possible.
    #expect(pixel(try frames.frame(at: 0), 20, 40) == [255, 0, 0, 255])
    #expect(throws: ImageError.self) { try frames.frame(at: 30) }
  }

  @Test func transparentColoursAreStraight() throws {
    var animation = Animation()
    animation.color = "0,1,0,1"
    let text = animation.text.replacing("\"o\":{\"a\":0,\"k\":100},\"r\":1", with: "\"o\":{\"a\":0,\"k\":50},\"r\":1")
    let color = pixel(try lottie.image(Data(text.utf8)).bitmap, 20, 40)
    #expect(color[1] > 250 && (126...129).contains(color[3]), "\(color)")
  }

  @Test func aThumbnailIsDrawnAtItsSize() throws {
    let image = try lottie.image(Animation().data, DecodeOptions(thumbnailSize: PixelSize(width: 50, height: 50)))
    #expect(image.size == PixelSize(width: 50, height: 40) && image.frames?.canvasSize == image.size)
    #expect(pixel(image.bitmap, 10, 20) == [255, 0, 0, 255])
  }

  /// An archive that Python packs.
  private func archive(_ maker: Maker, _ code: String) throws -> Data {
    try maker.write(Animation().text, "x.json")
    try maker.make(
      "python3", "-c", "import zipfile\nz=zipfile.ZipFile('a.lottie','w',zipfile.ZIP_DEFLATED)\n\(code)\nz.close()")
    return try maker.data("a.lottie")
  }

  private static let manifest = #"z.writestr('manifest.json','{"animations":[{"id":"x"}]}')"#

  @Test(arguments: ["animations/x.json", "a/x.json"]) func dotLottieIsUnpacked(_ name: String) throws {
    try Maker.with { maker in
      let bytes = try archive(maker, "\(Self.manifest)\nz.write('x.json','\(name)')")
      let image = try lottie.image(bytes)
      #expect(image.format?.mimeType == "application/x-dotlottie" && image.frames?.count == 30)
      #expect(image.bitmap.difference(try lottie.image(Animation().data).bitmap) == 0)
    }
  }

  @Test func archivesThatAreNotWholeAreRefused() throws {
    try Maker.with { maker in
      let whole = try archive(maker, "\(Self.manifest)\nz.write('x.json','animations/x.json')")
      for count in stride(from: 45, to: whole.count - 1, by: 29) {
        #expect(lottie.error(whole.prefix(count))?.code == .badImageData)
      }
      let lacking = try archive(maker, "\(Self.manifest)\nz.write('x.json','animations/y.json')")
      #expect("\(lottie.error(lacking) as Any)".contains("lacks the animation"))
      let bomb = try archive(maker, "\(Self.manifest)\nz.writestr('animations/x.json','{'+' '*3000000)")
      var limits = Limits()
      limits.downloadBytes = 1_000_000
      #expect(lottie.error(bomb, limits: limits)?.code == .limitExceeded)
    }
  }

  @Test func limitsBindFramesAndPixels() {
    var animation = Animation()
    animation.frames = 20_000
    #expect(lottie.error(animation.data)?.code == .limitExceeded)
    animation = Animation()
    (animation.width, animation.height) = (100_000, 100_000)
    #expect(lottie.error(animation.data)?.code == .limitExceeded)
    animation = Animation()
    animation.rate = 0
    #expect(lottie.error(animation.data) != nil)
  }

  @Test func otherTextsAreNoAnimations() {
    #expect(lottie.error(Data("{\"a\":1}".utf8))?.code == .unsupportedFormat)
    let cut = Animation().data.prefix(200)
    #expect([.badImageData, .decoderCrashed].contains(lottie.error(cut)?.code))
  }

  /// A short form of what `EASEL_LOTTIE_MUTATIONS=5000` does.
  @Test func changedBytesAreAnErrorOrAPicture() throws {
    let most = ProcessInfo.processInfo.environment["EASEL_LOTTIE_MUTATIONS"].flatMap { Int($0) } ?? 60
    var limits = Limits()
    limits.decodeTime = .seconds(3)
    limits.framePixels = 1_000_000
    let seed = Array(Animation().data)
    var state: UInt64 = 53
    func next(_ most: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % most
    }
    var codes: [String: Int] = [:]
    for _ in 0..<most {
      var bytes = seed
      // The beginning stays, by which the file is recognized.
      for _ in 0...next(4) {
        let place = 40 + next(bytes.count - 40)
        if next(2) == 0 {
          bytes[place] = UInt8(32 + next(95))
        } else {
          bytes.insert(contentsOf: Array("9999999".utf8), at: place)
        }
      }
      codes[lottie.error(Data(bytes), limits: limits)?.code.name ?? "decoded", default: 0] += 1
    }
    print("Lottie, \(most) changed animations: \(codes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
    let allowed = ["decoded", "badImageData", "limitExceeded", "decoderCrashed", "unsupportedFormat"]
    #expect(codes.keys.allSatisfy(allowed.contains))
  }
}
