import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// The options of imgproxy that draw, hide and tune.
struct ImgproxyLookTests {
  private func order(_ options: String) throws(ServiceError) -> ImageOrder {
    try ImgproxyReader(rules: URLRules(), signer: nil, formats: NamedFormats.names).order(
      at: "/unsafe/\(options)/plain/https://host/a", now: 0)
  }

  private func key(_ options: String) throws -> String {
    try order(options).pipeline { _ throws(ServiceError) in .identity }.cacheKey
  }

  /// The result of options for a white picture, or for one that a function paints.
  private func result(
    _ options: String, width: Int = 8, height: Int = 8, _ paint: (Int, Int) -> PixelColor = { _, _ in .white }
  ) throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .rgba8)
    let bytesPerRow = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let color = paint(x, y)
          for (index, value) in [color.red, color.green, color.blue, color.alpha].enumerated() {
            bytes[y * bytesPerRow + 4 * x + index] = value
          }
        }
      }
    }
    return try order(options).pipeline { _ throws(ServiceError) in .identity }.transform(
      Image(bitmap), work: WorkContext()
    ).bitmap
  }

  // MARK: Crops

  @Test(arguments: [
    ("car:1.5", "CropRatio(1.5,ce)"), ("c:50:20/car:0", "CropSize({50,20},ce)"),
    ("c:50:20:no/car:1", "CropShape({50,20},1,0,no)"), ("c:50:20/car:1:1/g:so", "CropShape({50,20},1,1,so)"),
    ("crop_ar:2:t", "CropRatio(2,ce)"), ("t:10:ff00ff:1", "Trim(10,#ffff00ff,1,0,#ffff00ff)"),
    ("t:10:FF00FF", "Trim(10,#ffff00ff,0,0,#ffff00ff)"), ("rs:force:50:0", "Resize({50,0},0,4,1,shrink,keep)"),
  ])
  func anOptionBecomesAStep(_ options: String, _ wanted: String) throws {
    let key = try key(options)
    #expect(key == wanted)
    #expect(try TransformerPipeline(parsing: key).cacheKey == key)
  }

  @Test(arguments: [
    ("c:50:20/car:1", 20, 20), ("c:50:20/car:1:1", 40, 40), ("c:20:30/car:2:1", 60, 30), ("c:20:30/car:2", 20, 10),
    ("c:90:0/car:1:1", 40, 40), ("c:0.5:0.5/car:1:1", 40, 40), ("c:10:10/car:20:1", 100, 5),
  ])
  func aCropGetsItsRatio(_ options: String, _ width: Int, _ height: Int) throws {
    #expect(try result(options, width: 100, height: 40).size == PixelSize(width: width, height: height))
  }

  @Test func magentaTrimsTransparencyAndOtherColoursDoNot() throws {
    func paint(_ x: Int, _ y: Int) -> PixelColor { (2..<6).contains(x) ? .black : .clear }
    #expect(try result("t:10:FF00FF", paint).size == PixelSize(width: 4, height: 8))
    #expect(try result("t:10", paint).size == PixelSize(width: 4, height: 8))
    #expect(try result("t:10:ffffff", paint).size == PixelSize(width: 8, height: 8))
    let magenta = PixelColor(red: 255, green: 0, blue: 255)
    #expect(try result("t:10:FF00FF") { x, _ in x < 3 ? magenta : .white }.size.width == 5)
  }

  // MARK: Layers

  @Test func aColourIsPutOverThePicture() throws {
    let half = try result("col:0.5:000") { x, _ in x < 4 ? .white : .clear }
    #expect(half.pixel(x: 0, y: 0).map { (120...135).contains($0.red) && $0.alpha == 255 } == true)
    #expect(half.pixel(x: 7, y: 0).map { (120...135).contains($0.alpha) } == true)
    let kept = try result("colorize:1:f00:1") { x, _ in x < 4 ? .white : .clear }
    #expect(kept.pixel(x: 0, y: 0) == PixelColor(red: 255, green: 0, blue: 0) && kept.pixel(x: 7, y: 0)?.alpha == 0)
    #expect(try key("col:0") == "" && key("col:0:f00") == "")
  }

  /// The options, and where the picture is black at the end of the way.
  @Test(arguments: [
    ("gr:1", 3, 7), ("gr:1:000:down", 3, 7), ("gr:1:000:up", 3, 0), ("gr:1:000:180", 3, 0), ("gr:1:000:left", 0, 3),
    ("gr:1:000:90", 0, 3), ("gr:1:000:right", 7, 3), ("gradient:1:000:-90", 7, 3),
  ])
  func aGradientGrowsInItsDirection(_ options: String, _ x: Int, _ y: Int) throws {
    let picture = try result(options)
    let (dark, light) = (picture.pixel(x: x, y: y), picture.pixel(x: x == 3 ? 3 : 7 - x, y: y == 3 ? 3 : 7 - y))
    #expect(dark.map { $0.red < 40 } == true && light.map { $0.red > 215 } == true)
  }

  @Test func aGradientHasItsEnds() throws {
    let picture = try result("gr:1:000:down:0.5:0.75", height: 16)
    #expect(picture.pixel(x: 0, y: 7) == .white && picture.pixel(x: 0, y: 12) == .black)
    #expect(picture.pixel(x: 0, y: 15) == .black)
    #expect(try result("gr:1:000:down:0.5:0.5", height: 16).pixel(x: 0, y: 8) == .black)
    #expect(try key("gr:0:f00") == "")
  }

  @Test func anAreaShowsNothingOfWhatWasThere() throws {
    // Black and white stripes, of which the left half is to be hidden.
    func stripes(_ x: Int, _ y: Int) -> PixelColor { y % 2 == 0 ? .black : .white }
    let picture = try result("ba:20:0:0:0.5:1", stripes)
    for y in 1..<7 { #expect((80...175).contains(picture.pixel(x: 1, y: y)?.red ?? 0), "\(y)") }
    for y in 0..<8 { #expect(picture.pixel(x: 6, y: y) == stripes(6, y)) }
    let transparent = try result("ba:5:0:0:1:1") { x, _ in x == 3 ? .black : .clear }
    #expect(transparent.pixel(x: 3, y: 3).map { $0.alpha < 200 } == true)
  }

  @Test(arguments: [
    ("ba:3:0.1:0.2:0.3:0.4", "{0.1,0.2,0.3,0.4}"), ("ba:3:0:0:0.25:0.5/fl:1", "{0.75,0.0,0.25,0.5}"),
    ("ba:3:0:0:0.25:0.5/fl:0:1", "{0.0,0.5,0.25,0.5}"), ("ba:3:0:0:0.25:0.5/rot:90", "{0.5,0.0,0.5,0.25}"),
    ("ba:3:0:0:0.25:0.5/rot:180", "{0.75,0.5,0.25,0.5}"), ("ba:3:0:0:0.25:0.5/rot:90/fl:1", "{0.0,0.0,0.5,0.25}"),
  ])
  func areasTurnWithThePicture(_ options: String, _ area: String) throws {
    let key = try key(options)
    #expect(key.hasSuffix("AreaBlur(3.0,\(area))"), "\(key)")
  }

  @Test(arguments: ["c:50:50", "car:2", "t:10", "rs:fill:10:10", "rs:auto:10:10", "rs:fill-down:10:10"])
  func areasOfAPictureThatIsCutAreRefused(_ options: String) {
    let error = #expect(throws: ServiceError.self) { try order("ba:3:0:0:1:1/\(options)") }
    #expect(error?.status == 400 && error?.message.hasPrefix("The option blur_areas") == true)
    #expect(throws: Never.self) { try order("ba:3:0:0:1:1/-/\(options)") }
  }

  // MARK: Watermarks

  @Test func aWatermarkIsMadeReadyBeforeItIsDrawn() throws {
    func picture(_ options: String) throws -> WatermarkOrder.Picture? {
      try order("wm:1/\(options)").watermarkPictures(own: "https://own").first
    }
    let key = try picture("wms:30:20/wmr:90/wmsh:2")?.preparation.cacheKey ?? ""
    #expect(key.hasPrefix("Resize({30,20},3,4,1)-Rotate(-1.57") && key.hasSuffix("-Shadow(2.0)"), "\(key)")
    #expect(try picture("wms:0:20")?.preparation.cacheKey == "Resize({0,20},0,4,1)")
    #expect(try picture("wm:1:ce:0:0:0.5/wms:30:20")?.preparation.isIdentity == true)
    #expect(try picture("wm_rot:360")?.preparation.isIdentity == true)
    let mark = Image(try result("w:4", width: 4, height: 4))
    let shadow = try Shadow(deviation: 1).transform(mark, work: WorkContext()).bitmap
    #expect(shadow.size == PixelSize(width: 8, height: 8))
    let edge = try #require(shadow.pixel(x: 1, y: 4))
    #expect(edge.alpha > 0 && edge.alpha < 255 && edge.red == 0)
  }

  // MARK: Files

  @Test func encodersAreTuned() throws {
    let order = try order("jpgo:1:1:1:0:1:3/webpo:lossless:1:photo/avifo:off/pngo:1:1:16/ph:1")
    #expect(order.tunings[.jpeg] == ImageOrder.Tuning(isProgressive: true, chromaSubsampling: .full, effort: 3))
    #expect(order.tunings[.webp] == ImageOrder.Tuning(isLossless: true))
    #expect(order.tunings[.avif] == ImageOrder.Tuning(chromaSubsampling: .full) && order.keeps16Bits)
    let other = try self.order("jpgo::0/webpo:lossy/avifo:auto/ph:0")
    #expect(other.tunings[.jpeg] == ImageOrder.Tuning(chromaSubsampling: .quarter))
    #expect(other.tunings[.webp] == ImageOrder.Tuning(isLossless: false) && !other.keeps16Bits)
    #expect(other.tunings[.png] == nil)
    let efforts = try self.order("jpgo:::0/webpo::::6/avifo::4/jxlo:7").tunings.mapValues(\.effort)
    #expect(efforts == [.jpeg: 1, .webp: 6, .avif: 4, .jxl: 7])
    #expect(try self.order("jpgo:::1").tunings == [.jpeg: ImageOrder.Tuning(effort: 2)])
  }

  @Test func aPaletteIsAskedForByItsColoursAndByItsQuality() throws {
    func palette(_ options: String) throws -> ImageOrder.Palette? { try order(options).tunings[.png]?.palette }
    #expect(try palette("pngo:1:1:16") == ImageOrder.Palette(colors: 16))
    #expect(try palette("png_options::1") == ImageOrder.Palette())
    #expect(try palette("pngo:0:0:16") == nil && palette("pngo:0") == nil)
    #expect(try palette("pngq:85") == ImageOrder.Palette(quality: 0...85))
    #expect(try palette("png_quality:85:60") == ImageOrder.Palette(quality: 60...85))
    for options in ["pngo::1:32/pngq:85:60", "pngq:85:60/pngo::1:32"] {
      #expect(try palette(options) == ImageOrder.Palette(colors: 32, quality: 60...85))
      #expect(try palette(options)?.text == "32/60-85")
    }
    #expect(try palette("pngq:85/pngo::0") == nil)
  }

  @Test func aHashHasItsLength() throws {
    #expect(
      try order("hs:md5:\(String(repeating: "aB", count: 16))").hashsum?.bytes == [UInt8](repeating: 0xab, count: 16))
    #expect(try order("hashsum:sha512:\(String(repeating: "00", count: 64))").hashsum?.kind == .sha512)
    #expect(try order("hs:md5:\(String(repeating: "00", count: 16))/hs:none").hashsum == nil)
  }

  @Test(arguments: [
    "car:1:2", "car:1:1:1", "jpgo:2", "jpgo:1:1:1:1:1:9", "jpgo:1:1:1:1:1:1:1", "pngo:1:1:1", "pngq:101", "pngq:60:85",
    "pngq:9:1:1", "webpo:best", "webpo:lossy:1:x", "webpo:lossy:1:photo:7", "avifo:maybe", "avifo:on:11", "jxlo:0",
    "jxlo:10", "jxlo:3:1", "fi:slow", "fi:fast:1", "ph:x", "hs:md5", "hs:md5:00", "hs:crc32:00", "hs:sha1:zz", "ba:",
    "ba:1:2",
    "ba:1:0:0:1:2", "ba:-1", "col:2", "col:1:red", "gr:1:000:north", "gr:1:000:down:2", "gr:1:000:down:0:1:1", "wms:-1",
    "wms:99999", "wmr:x", "wmsh:101", "wmsh:-1",
  ])
  func anArgumentWithoutMeaningIsRefusedByName(_ options: String) throws {
    let name = String(options.prefix { $0 != ":" })
    let option = try #require(ImgproxyOption.byName[name])
    guard options != "ba:" else { return _ = try order(options) }
    let error = #expect(throws: ServiceError.self) { try order(options) }
    #expect(error?.status == 400 && error?.message.contains(option.names[0]) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: ["1", "t", "T", "TRUE", "true", "True"]) func truthIsWrittenInSixWays(_ text: String) throws {
    #expect(try key("w:500/el:\(text)") == key("w:500/el:1"))
    #expect(try key("w:500/rt:fill/h:9/ex:\(text)") == key("w:500/rt:fill/h:9/ex:1"))
  }

  @Test(arguments: ["0", "f", "F", "FALSE", "false", "False"]) func soIsFalsehood(_ text: String) throws {
    #expect(try key("w:500/el:\(text)") == key("w:500"))
  }
}
