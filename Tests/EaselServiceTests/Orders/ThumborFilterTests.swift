import EaselTestSupport
import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// The filters and watermarks in URLs of thumbor.
struct ThumborFilterTests: ThumborAddresses {
  @Test(
    arguments: [
      ("background_color(f80)", "Background(#ffff8800)"), ("background_color(ff880080)", "Background(#80ff8800)"),
      ("background_color(rebeccapurple)", "Background(#ff663399)"),
      ("blur(2)", "Blur("), ("brightness(20)", "ColorMatrix(1,0,0,0,0.2,0,1,0,0,0.2,0,0,1,0,0.2,0,0,0,1,0)"),
      ("brightness(-1)", "-0.00784"),
      ("colorize(50,0,100,ff0000)", "ColorMatrix(0.5,0,0,0,0.5,0,1,0,0,0,0,0,0,0,0,0,0,0,1,0)"),
      ("contrast(100)", "Contrast(4)"), ("contrast(-100)", "Contrast(0)"), ("contrast(10)", "Contrast(1.21)"),
      ("grayscale()", "ColorMatrix(0.299,0.587,0.114,0,0,0.299,0.587,0.114,0,0,0.299,"),
      ("rgb(20,-20,0)", "ColorMatrix(1,0,0,0,0.2,0,1,0,0,-0.2,0,0,1,0,0,"),
      ("rotate(90)", "Rotate(1.57"), ("rotate(270)", "Rotate(-1.57"), ("rotate(180)", "Rotate(3.14"),
      ("round_corner(20,255,0,0)", "RoundCorners(20,15,0,-)-Background(#ffff0000)"),
      ("round_corner(20,255,0,0,true)", "RoundCorners(20,15,0,-)"),
      ("saturation(0.5)", "ColorMatrix(0.6495,0.2935,0.057,0,0,0.1495,0.7935,"),
      ("saturation(.5)", "ColorMatrix(0.6495,"), ("sharpen(2,1.5,true)", "Sharpen(2,1.5)"),
      ("cover()", ""), ("strip_icc()", ""), ("strip_exif()", ""),
    ])
  func aFilterBecomesAStep(_ filter: String, _ part: String) throws {
    let key = try key("filters:\(filter)")
    #expect(part.isEmpty ? key.isEmpty : key.contains(part), "\(key)")
  }

  @Test func filtersRunInTheOrderOfTheURL() throws {
    let left = try key("300x200/filters:grayscale():saturation(2):round_corner(5,0,0,0,1):rotate(90)")
    #expect(left.hasPrefix("Resize({300,200},2,4,1)-ColorMatrix(0.299,"), "\(left)")
    let right = try key("300x200/filters:rotate(90):round_corner(5,0,0,0,1):saturation(2):grayscale()")
    #expect(
      left != right && right.hasPrefix("Resize({300,200},2,4,1)-Rotate(")
        && right.hasSuffix("0.299,0.587,0.114,0,0,0,0,0,1,0)"))
    #expect(
      try key("fit-in/300x200/filters:fill(ff0000):blur(1):fill(blue,true)").contains(
        "-Extend({300,200},#ffff0000,ce)-Blur("))
    #expect(try key("fit-in/300x200/filters:fill(blue,true)").hasSuffix("#ff0000ff,ce)-Background(#ff0000ff)"))
    #expect(try key("fit-in/300x200/filters:fill(transparent,1)").hasSuffix("Extend({300,200},#00000000,ce)"))
    #expect(try key("adaptive-fit-in/300x200/filters:fill(blue)").hasSuffix("ThumborBars({300,200},{0,0,255,255})"))
  }

  @Test func theFidelityIsNamed() throws {
    #expect(try key("300x200/filters:fidelity(fast)") == "Resize({300,200},2)")
    #expect(try key("300x200/filters:fidelity(exact)") == "Resize({300,200},2,4,2)")
    #expect(try key("full-fit-in/300x200/filters:fidelity(fast)") == "ThumborResize({300,200},around)")
    #expect(try key("full-fit-in/300x200/filters:fidelity(exact)") == "ThumborResize({300,200},around,exact)")
    #expect(try key("filters:proportion(0.5):fidelity(fast)") == "Proportion(0.5)")
    #expect(try key("filters:proportion(0.5)") == "Proportion(0.5,1)")
    let error = #expect(throws: ServiceError.self) { try key("filters:fidelity(slow)") }
    #expect(error?.status == 400)
  }

  @Test func aBlurIsAsStrongAsThumbors() throws {
    // The variance of weights exp(-k*k/8) for k from -2 to 2 is 1.6634.
    #expect(try key("filters:blur(2)") == "Blur(1.29)")
    // A kernel much longer than its sigma is the Gaussian itself.
    #expect(try key("filters:blur(100,3)") == "Blur(3)")
    // The kernel of thumbor ends at 150.
    #expect(try key("filters:blur(1000,5)") == "Blur(5)")
    #expect(try key("filters:blur(150,1000)") == key("filters:blur(1000)"))
  }

  @Test(
    arguments: [
      ("1;2;1;2;4;2;1;2;1,3,true", "Convolution(3,16,{1,2,1,2,4,2,1,2,1})"),
      ("1;2;1;2;4;2;1;2;1,3", "Convolution(3,16,{1,2,1,2,4,2,1,2,1})"),
      ("-1;-1.5;4,1,false", "Convolution(1,1,{-1,-1.5,4})"), ("0;1;0;1;-4;1;0;1;0,3,true", "Convolution(3,1,{0,1,0,1,"),
      ("0;0;0;0;7;0;0;0;0,3,false", "Convolution(3,1,{0,0,0,0,7,"),
    ])
  func aConvolutionIsAMatrix(_ arguments: String, _ part: String) throws {
    let key = try key("filters:convolution(\(arguments))")
    #expect(key.hasPrefix(part), "\(key)")
  }

  @Test(arguments: [
    "", "1;2;1", "1;2;1,2,true", "1;2;1,0,true", "1;2,1,true", "1;2;1,3,maybe", "1;;1,3,true", "1;a;1,3", "1;2;1;,3",
    "1e3;2;1,3", "nan,1", "2000000,1", "1;2;1,-3", "1;2;1;4,2", "1;2;3;4;5;6,3",
    String(repeating: "1;", count: 16) + "1,17",
  ])
  func aMatrixWithoutSenseIsRefused(_ arguments: String) {
    let error = error("filters:convolution(\(arguments))")
    #expect(error?.status == 400 && error?.message.contains("convolution(matrix,columns,normalize)") == true)
  }

  @Test func filtersOfTheFile() throws {
    let order = try order(
      of: "filters:quality(75):format(WebP):max_bytes(5000):max_age(60):strip_exif():cover():strip_icc()")
    #expect(order.quality == 0.75 && order.format == .webp && order.maxBytes == 5000 && order.maxAge == 60)
    #expect(order.keepsMetadata == false && order.frameCount == 1)
    let other = try self.order(of: "filters:quality(0):max_bytes(0):format(jpg)")
    #expect(other.quality == nil && other.maxBytes == nil && other.format == .jpeg && other.keepsMetadata == nil)
    #expect(try self.order(of: "filters:format(heif)").format == ImageFormat(mimeType: "image/heic"))
    #expect(try self.order(of: "filters:quality(1):quality(2)").quality == 0.02)
    #expect(try self.order(of: "filters:damaged(show)").damaged == .show && order.damaged == nil)
    #expect(error("filters:damaged(all)")?.status == 400)
  }

  // MARK: Watermarks

  private func watermark(_ arguments: String) throws -> WatermarkOrder? {
    guard case .steps(let steps) = try order(of: "filters:watermark(\(arguments))").pixels else { return nil }
    #expect(steps.count <= 1)
    guard case .watermark(let watermark)? = steps.first else { return nil }
    return watermark
  }

  @Test(
    arguments: [
      ("10,20", .northWest.inset(x: 10, y: 20), nil), ("-10,-20", .southEast.inset(x: 10, y: 20), nil),
      ("-0,0", .northEast, nil), ("center,center", .center, nil), ("center,-5", .south.inset(x: 0, y: 5), nil),
      ("10p,-25p", .southWest.inset(x: .share(0.1), y: .share(0.25)), nil),
      ("repeat,repeat", .northWest, .init(x: .repeated, y: .repeated)),
      ("repeat,-7", .southWest.inset(x: 0, y: 7), .init(x: .repeated, y: .edge(isFar: true, .pixels(7)))),
      ("center,repeat", .north, .init(x: .center, y: .repeated)),
    ] as [(String, TransformerPipeline.Gravity, SpreadWatermark.Places?)])
  func aWatermarkHasAPlace(
    _ place: String, _ gravity: TransformerPipeline.Gravity, _ spread: SpreadWatermark.Places?
  ) throws {
    let watermark = try watermark("http://h/l.png,\(place),25")
    #expect(watermark?.gravity == gravity && watermark?.spread == spread && watermark?.opacity == 0.75)
    #expect(watermark?.gaps == nil)
    #expect(watermark?.source == "http://h/l.png" && watermark?.scale == nil)
  }

  @Test(
    arguments: [
      ("http://h/l.png", "http://h/l.png"), ("h/l.png", "http://h/l.png"), ("https:/h/l.png", "https://h/l.png"),
      ("http://h/a(1).png", "http://h/a(1).png"), ("http%3A%2F%2Fh%2Fa%2Cb%29.png", "http://h/a,b).png"),
      ("'http://h/a,b.png'", "http://h/a,b.png"), ("http://h/a%2520b", "http://h/a%20b"),
      ("http://h/a?b=1", nil), ("http://h/a%3Fb=1", "http://h/a?b=1"), ("http://h:80/a:b", "http://h:80/a:b"),
    ] as [(String, String?)])
  func theAddressOfAWatermarkIsReadOnce(_ text: String, _ source: String?) throws {
    guard let source else {
      // The query is cut off as everywhere, so the filters have no end.
      #expect(error("filters:watermark(\(text),0,0,0)")?.status == 400)
      return
    }
    #expect(try watermark("\(text),0,0,0")?.source == source)
  }

  @Test(
    arguments: [
      ("50", 0.5, 0), ("50,none", 0.5, 0), ("none,50", 0, 0.5), ("50,50", 0.5, 0.5), ("none,none", nil, 0),
      ("0,0", nil, 0), ("100", 1, 0), ("10,20", 0.1, 0.2),
    ] as [(String, Double?, Double)])
  func aWatermarkHasAScale(_ ratios: String, _ x: Double?, _ y: Double) throws {
    #expect(try watermark("h/l.png,0,0,0,\(ratios)")?.scale == x.map { WatermarkOrder.Scale(x: $0, y: y) })
  }

  @Test func aFrameIsAPictureToLoad() throws {
    let order = try order(of: "filters:frame(h/f.png):blur(1):frame('http://h/g.png')")
    #expect(order.watermarkPictures(own: "own").map(\.source) == ["http://h/f.png", "http://h/g.png"])
    #expect(order.needsWatermarks)
    #expect(error("filters:frame()")?.status == 400 && error("filters:frame(a,b)")?.status == 400)
    #expect(error("filters:frame(a%0Ab)")?.status == 400)
  }

  @Test func anInvisibleWatermarkIsNotLoaded() throws {
    #expect(try watermark("h/l.png,0,0,100") == nil)
    let order = try order(of: "filters:watermark(h/a,0,0,1):blur(1):watermark(h/b,0,0,2)")
    #expect(order.watermarkPictures(own: nil).map(\.source) == ["http://h/a", "http://h/b"])
  }
}
