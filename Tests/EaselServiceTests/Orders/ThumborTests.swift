import EaselTestSupport
import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// URLs as thumbor writes them.
struct ThumborTests: ThumborAddresses {
  // MARK: Images

  @Test(
    arguments: [
      ("host/a.jpg", "http://host/a.jpg"), ("https://host/a.jpg", "https://host/a.jpg"),
      ("https:/host/a.jpg", "https://host/a.jpg"), ("//host/a.jpg", "http://host/a.jpg"),
      ("http%3A%2F%2Fhost%2Fa%20b.jpg%3Fq%3D1", "http://host/a b.jpg?q=1"), ("host/a%2520b", "http://host/a%20b"),
      ("host/a?x=1", "http://host/a"), ("host:8080/a", "http://host:8080/a"), ("local:///a.png", "local:///a.png"),
      ("local:/a.png", "local:///a.png"), ("host/%E7%8C%AB", "http://host/猫"), ("smart", "http://smart"),
      ("300x200/host/smart/top", "http://host/smart/top"), ("left/300x200/a", "http://300x200/a"),
      ("trim/trimmed/a", "http://trimmed/a"), ("meta/meta/a", "http://meta/a"), ("x/a", "http://a"),
      ("fit-in/1x1/smart/filters:blur(2)/filters/a", "http://filters/a"), ("1x2x3/a", "http://1x2x3/a"),
      ("filters:watermark(http://h/l(1).png,0,0,0)/a(b)/c", "http://a(b)/c"), ("10x10:20/a", "http://10x10:20/a"),
      ("bottom/left/a", "http://left/a"), ("unsafe/a", "http://unsafe/a"),
    ])
  func anImageIsReadOnce(_ path: String, _ source: String) throws {
    #expect(try order(path).source == source)
  }

  @Test(arguments: [
    "", "/", "//", "%zz", "%", "%ff%fe", "host/%00", "host/%0A", "filters:blur(2)/", "filters:blur(2)",
    "filters:/a", "filters:blur/a", "filters:(2)/a", "debug/a", "filters:blur(2):/a", "filters::blur(2)/a",
  ])
  func anAddressWithoutAnImageIsRefused(_ path: String) {
    let error = #expect(throws: ServiceError.self) { try order(path) }
    #expect(error?.status == 400)
  }

  @Test(arguments: ["", "/", "unsafe", "/unsafe", "unsafe/a.jpg"])
  func anAddressHasASignatureAndAnImage(_ path: String) {
    let error = #expect(throws: ServiceError.self) {
      try ThumborReader(signer: nil, formats: NamedFormats.names).order(at: path[...], now: 0)
    }
    #expect(error?.status == 400)
  }

  @Test func imagesWithoutASchemeComeFromTheBase() throws {
    let reader = ThumborReader(signer: nil, formats: NamedFormats.names, base: "local:///")
    let order = try reader.order(at: "/unsafe/filters:watermark(b/logo.png,0,0,0)/a/cat.png", now: 0)
    #expect(order.source == "local:///a/cat.png")
    #expect(order.watermarkPictures(own: nil).map(\.source) == ["local:///b/logo.png"])
    #expect(try reader.order(at: "/unsafe/https://host/a", now: 0).source == "https://host/a")
  }

  @Test func metaAsksForFacts() throws {
    #expect(try order("meta/300x200/host/a").answer == .info)
    #expect(try order("300x200/host/a").answer == .picture)
  }

  // MARK: Signatures

  @Test(
    arguments: [
      (
        "mysecret", "cST4Ko5_FqwT3BDn-Wf4gO3RFSk=",
        "500x500/top/raw.githubusercontent.com/cshum/imagor/master/testdata/gopher.png",
        "http://raw.githubusercontent.com/cshum/imagor/master/testdata/gopher.png"
      ),
      (
        "my-security-key", "TaWoUq6tvBe2HywzAULy6_Np-2k=", "300x200/smart/path/to/image.jpg",
        "http://path/to/image.jpg"
      ),
      ("my-security-key", "qjXs3_UNvhoXhEYcQzf0hy8tIek=", "300x200/image.jpg", "http://image.jpg"),
      (
        "my-security-key", "9oAmHk8xxHG4Z-MNrJJo0XJlrSo=",
        "fit-in/-300x-200/left/top/filters:quality(80):format(webp)/http%3A%2F%2Fexample.com%2Fa%20b.jpg",
        "http://example.com/a b.jpg"
      ),
      (
        "my-security-key", "i9DsHPjaFMDUz98ZBKiWpAlt8v8=",
        "trim:bottom-right:10/10x20:110x120/0x400/filters:watermark(http://x.example/logo.png,-10,-10,50)/"
          + "example.com/%E7%8C%AB.png", "http://example.com/猫.png"
      ),
      (
        "MY_SECURE_KEY", "nJXjLEaqMP4gY6eAXORp1wmmxJk=", "200x0/filters:fill(white)/s3.example.com/b/k.jpg",
        "http://s3.example.com/b/k.jpg"
      ),
    ])
  func aSignatureOfThumborIsAccepted(_ key: String, _ signature: String, _ path: String, _ source: String) throws {
    let reader = ThumborReader(
      signer: URLSigner([URLSigner.Key(key: Array(key.utf8))], grammar: .thumbor), formats: NamedFormats.names)
    #expect(try reader.order(at: "/\(signature)/\(path)", now: 0).source == source)
    #expect(try reader.order(at: "/\(signature.dropLast())%3D/\(path)?x", now: 0).source == source)
    for wrong in [
      "/unsafe/\(path)", "/\(signature.dropLast())/\(path)", "/\(signature)/\(path)x", "/\(signature)//\(path)",
      "/\(signature)x/\(path)", "/\(String(repeating: "a", count: 5000))/\(path)", "/%/\(path)", "//\(path)",
    ] {
      let error = #expect(throws: ServiceError.self) { try reader.order(at: wrong[...], now: 0) }
      #expect(error == ServiceError(403, "The signature is not right."))
    }
  }

  @Test func nothingIsReadBeforeTheSignatureIsRight() {
    let reader = ThumborReader(
      signer: URLSigner([URLSigner.Key(key: [1])], grammar: .thumbor), formats: NamedFormats.names)
    for path in ["/unsafe/filters:nosuch(1)/a", "/x/trim:up/a", "/x/", "/x/%zz"] {
      let error = #expect(throws: ServiceError.self) { try reader.order(at: path[...], now: 0) }
      #expect(error?.status == 403)
    }
  }

  // MARK: Sizes

  @Test(
    arguments: [
      ("", ""), ("0x0", ""), ("x", ""), ("origxorig", ""), ("fit-in/0x0", ""), ("fit-in/origxorig", ""),
      ("full-fit-in/origxorig", ""), ("adaptive-fit-in/0x0", ""), ("origx", ""), ("0xorig", ""), ("smart", ""),
      ("left/top", ""), ("0x0:0x0", ""),
      ("300x200", "Resize({300,200},2,4,1)"), ("300x0", "Resize({300,0},0,4,1)"), ("x200", "Resize({0,200},0,4,1)"),
      ("300x200/left", "Resize({300,200},2,4,1,we)"), ("300x200/center/top", "Resize({300,200},2,4,1,no)"),
      ("300x200/right/bottom", "Resize({300,200},2,4,1,soea)"), ("300x200/middle", "Resize({300,200},2,4,1)"),
      ("300x200/smart", "Resize({300,200},2,4,1,sm)"), ("300x200/left/top/smart", "Resize({300,200},2,4,1,sm)"),
      ("fit-in/300x200", "Resize({300,200},4,4,1)"), ("fit-in/300x0", "Resize({300,0},4,4,1)"),
      ("fit-in/300xorig", "Resize({300,0},4,4,1)"), ("fit-in/300x200/left/top", "Resize({300,200},4,4,1)"),
      ("full-fit-in/300x0", "Resize({300,0},0,4,1)"),
      ("full-fit-in/300x200", "ThumborResize({300,200},around,faithful)"),
      ("adaptive-fit-in/300x200", "ThumborResize({300,200},inside,adaptive,faithful)"),
      ("adaptive-fit-in/300x300", "Resize({300,300},4,4,1)"), ("adaptive-fit-in/300x", "Resize({300,0},4,4,1)"),
      ("adaptive-full-fit-in/300x200/top", "ThumborResize({300,200},around,adaptive,faithful)"),
      ("origx200", "ThumborResize({orig,200},cover,faithful)"),
      ("300xorig/left/top", "ThumborResize({300,orig},cover,{0,0},faithful)"),
      ("-300x200", "Resize({300,200},2,4,1)-Flip(1,0)"), ("-0x-0", "Flip(1,1)"), ("x-", "Flip(0,1)"),
      ("fit-in/300x-200", "Resize({300,200},4,4,1)-Flip(0,1)"), ("-origx0", "Flip(1,0)"),
      ("trim", "Trim(0,-,0,0)"), ("trim:10", "Trim(10,-,0,0)"), ("trim:top-left:10", "Trim(10,-,0,0)"),
      ("trim:top-left:442", "Trim(255,-,0,0)"),
      ("trim:bottom-right", "Flip(1,1)-Trim(0,-,0,0)-Flip(1,1)"),
      ("10x20:110x120", "Crop({10,20,100,100})"),
      ("trim/10x20:110x120/50x60", "TrimmedCrop(top-left,0,{10,20,110,120})-Resize({50,60},2,4,1)"),
    ])
  func partsBecomeSteps(_ parts: String, _ wanted: String) throws {
    #expect(try key(parts) == wanted)
  }

  @Test(
    arguments: [
      ("300x200/filters:stretch()", "Resize({300,200},0,4,1)"),
      ("fit-in/300x200/filters:stretch()", "Resize({300,200},4,4,1)"),
      ("300x200/smart/filters:stretch()", "Resize({300,200},0,4,1)"),
      ("300x/filters:stretch()", "Resize({300,0},0,4,1)"),
      ("300x200/filters:no_upscale()", "Resize({300,200},2,4,1,shrink)"),
      ("300x200/top/filters:no_upscale()", "Resize({300,200},2,4,1,no,shrink)"),
      ("300x/filters:no_upscale()", "Resize({300,0},4,4,1)"),
      ("fit-in/300x200/filters:no_upscale()", "Resize({300,200},4,4,1)"),
      ("300x200/filters:stretch():no_upscale()", "ThumborResize({300,200},stretch,shrink,faithful)"),
      ("300xorig/filters:stretch()", "ThumborResize({300,orig},stretch,faithful)"),
      ("full-fit-in/300x200/filters:no_upscale()", "ThumborResize({300,200},around,shrink,faithful)"),
      ("fit-in/300x200/filters:upscale()", "Resize({300,200},3,4,1)"),
      ("300x200/filters:upscale()", "Resize({300,200},2,4,1)"),
      ("fit-in/300x0/filters:upscale()", "Resize({300,0},4,4,1)"),
      ("adaptive-fit-in/300x200/filters:upscale()", "ThumborResize({300,200},inside,adaptive,enlarge,faithful)"),
      ("300x200/filters:focal(10x20:30x40)", "ThumborResize({300,200},cover,focus{20,30},faithful)"),
      ("300x200/left/smart/filters:focal(10x20:30x40)", "ThumborResize({300,200},cover,focus{20,30},faithful)"),
      ("300x/filters:focal(10x20:30x40)", "Resize({300,0},0,4,1)"),
      ("fit-in/300x200/filters:focal(10x20:30x40)", "Resize({300,200},4,4,1)"),
      (
        "10x10:110x110/300x200/filters:focal(10x20:30x40)",
        "Crop({10,10,100,100})-ThumborResize({300,200},cover,focus{10,20},faithful)"
      ),
      ("10x10:20x20/30x20/filters:focal(50x50:60x60)", "Crop({10,10,10,10})-Resize({30,20},2,4,1)"),
      (
        "30x20/filters:focal(0x0:10x10):focal(100x0:110x30)", "ThumborResize({30,20},cover,focus{80,12},faithful)"
      ),
      ("filters:focal(1x1:2x2)", ""), ("filters:proportion(0.5)", "Proportion(0.5,1)"),
      ("filters:proportion(1)", ""), ("filters:proportion(1.0)", ""),
    ])
  func filtersOfTheSizeChangeTheResize(_ parts: String, _ wanted: String) throws {
    #expect(try key(parts) == wanted)
  }

  /// Sizes that thumbor 7.8 gave for the same parts.
  @Test(
    arguments: [
      ("300x200", 100, 50, 300, 200), ("fit-in/300x200", 100, 50, 100, 50), ("fit-in/30x20", 100, 50, 30, 15),
      ("full-fit-in/30x20", 100, 50, 40, 20), ("full-fit-in/300x20", 100, 50, 300, 150),
      ("adaptive-fit-in/20x30", 100, 50, 30, 15), ("adaptive-fit-in/20x30", 50, 100, 15, 30),
      ("adaptive-fit-in/30x20", 50, 100, 15, 30), ("adaptive-fit-in/30x20", 60, 60, 20, 20),
      ("adaptive-full-fit-in/20x30", 100, 50, 40, 20), ("origx20", 100, 50, 100, 20), ("origx80", 100, 50, 100, 80),
      ("30xorig", 100, 50, 30, 50), ("300xorig", 100, 50, 300, 50), ("full-fit-in/origx80", 100, 50, 160, 80),
      ("full-fit-in/origx20", 100, 50, 100, 50), ("adaptive-fit-in/origx20", 100, 50, 40, 20),
      ("300x20/filters:no_upscale()", 100, 50, 100, 20), ("30x200/filters:no_upscale()", 100, 50, 30, 50),
      ("300x200/filters:no_upscale()", 100, 50, 100, 50), ("300x20/filters:stretch():no_upscale()", 100, 50, 100, 20),
      ("full-fit-in/300x20/filters:no_upscale()", 100, 50, 100, 50),
      ("origx20/filters:stretch()", 100, 50, 100, 20), ("fit-in/300x300/filters:upscale()", 100, 50, 300, 150),
      ("adaptive-fit-in/200x300/filters:upscale()", 100, 50, 300, 150),
      ("30x20/filters:focal(0x0:2x2)", 100, 50, 30, 20),
      ("fit-in/300x300/filters:fill(red)", 100, 50, 300, 300), ("fit-in/300x0/filters:fill(red)", 100, 50, 300, 50),
      ("adaptive-fit-in/20x30/filters:fill(red)", 100, 50, 30, 20),
      ("adaptive-fit-in/20x30/filters:fill(red)", 50, 100, 20, 30),
      ("filters:proportion(0.5)", 100, 50, 50, 25), ("filters:rotate(90)", 100, 50, 50, 100),
      ("10x10:40x50/15x", 100, 50, 15, 20), ("90x40:140x60", 100, 50, 10, 10),
    ])
  func aPictureGetsThumborsSize(_ parts: String, _ width: Int, _ height: Int, _ wide: Int, _ high: Int) throws {
    let bitmap = try Bitmap(width: width, height: height) { _ in .white }
    let pipeline = try order(of: parts).pipeline { _ throws(ServiceError) in .identity }
    let size = PixelSize(width: wide, height: high)
    #expect(try pipeline.transform(Image(bitmap), work: WorkContext()).size == size)
    // The plan for the size that the header states makes the same picture.
    let plan = pipeline.plan(for: bitmap.size)
    #expect(try plan.transformer.transform(Image(bitmap), work: WorkContext()).size == size)
    // Steps that know the size in advance know it rightly.
    let told = pipeline.members.reduce(bitmap.size) { ($1 as? any SizingTransformer)?.resultSize(of: $0) ?? $0 }
    let isTold = pipeline.members.allSatisfy { $0 is any SizingTransformer }
    #expect(told == size || !isTold)
  }

  @Test func aFocalAreaStays() throws {
    // A red column at the right.
    let bitmap = try Bitmap(width: 100, height: 10) { x in x >= 80 ? PixelColor(red: 255, green: 0, blue: 0) : .white }
    for (parts, isRed) in [("20x10", false), ("20x10/filters:focal(80x0:100x10)", true), ("20x10/right", true)] {
      let pipeline = try order(of: parts).pipeline { _ throws(ServiceError) in .identity }
      let result = try pipeline.transform(Image(bitmap), work: WorkContext()).bitmap
      #expect((result.pixel(x: 10, y: 5)?.green == 0) == isRed, "\(parts)")
    }
  }

  @Test func aTrimFromTheBottomRightCutsItsColour() throws {
    let bitmap = try Bitmap(width: 10, height: 10) { x in
      x >= 6 ? .black : x < 2 ? .white : PixelColor(red: 9, green: 99, blue: 9)
    }
    for (parts, width) in [("trim", 8), ("trim:bottom-right", 6)] {
      let pipeline = try order(of: parts).pipeline { _ throws(ServiceError) in .identity }
      let result = try pipeline.transform(Image(bitmap), work: WorkContext())
      #expect(result.size == PixelSize(width: width, height: 10))
      #expect(result.bitmap.pixel(x: parts == "trim" ? 7 : 0, y: 0) == (parts == "trim" ? .black : .white))
    }
  }

  @Test func aCropOfATrimmedPictureIsThatOfTheOriginal() throws {
    // Grey columns between black ones, of which the fourth to the sixth are lighter.
    let bitmap = try Bitmap(width: 12, height: 4) { x in
      x < 2 || x >= 9 ? .black : (4..<7).contains(x) ? .white : PixelColor(red: 90, green: 90, blue: 90)
    }
    for (parts, width, isWhite) in [
      ("trim/4x0:7x4", 3, true), ("trim/0x1:5x9", 3, false), ("trim:bottom-right/4x0:20x4", 5, true),
      ("trim/4x0:9x4", 5, true),
    ] {
      let pipeline = try order(of: parts).pipeline { _ throws(ServiceError) in .identity }
      let result = try pipeline.transform(Image(bitmap), work: WorkContext()).bitmap
      #expect(result.width == width && (result.pixel(x: 0, y: 0) == .white) == isWhite, "\(parts) makes \(result.size)")
    }
    let outside = try order(of: "trim/0x0:2x4").pipeline { _ throws(ServiceError) in .identity }
    #expect(throws: ImageError.self) { try outside.transform(Image(bitmap), work: WorkContext()) }
  }

  @Test(
    arguments: [
      ("300x200", "300x200/center/middle"), ("300x200", "0300x200"), ("-300x0", "-300x"), ("trim", "trim:top-left:0"),
      ("fit-in/300x200/smart", "fit-in/300x200"), ("10x20%3A30x40", "10x20:30x40"),
      ("filters:blur(2):rgb(1,2,3)", "filters%3Ablur(2)%3Argb(1,2,3)"),
      ("filters:rgb(1,2,3)", "filters:rgb( 1 , 2,3 )"),
      ("filters:rgb(1,2,3)", "filters:rgb(1%2C2%2c3)"), ("filters:rgb(0,0,0)", ""), ("filters:brightness(0)", ""),
      ("filters:contrast(0)", ""), ("filters:saturation(1.0)", ""), ("filters:blur(2)", "filters:blur(2,2)"),
      ("filters:blur(2)", "filters:blur(2,0)"), ("filters:rotate(90)", "filters:rotate(-270)"),
      ("filters:rotate(360)", ""), ("filters:rotate(45)", ""), ("filters:fill(auto)", ""),
      ("filters:round_corner(5|0,1,2,3)", ""),
      ("filters:fill(white)", ""), ("filters:background_color(f00)", "filters:background_color(red)"),
      ("filters:background_color(RED)", "filters:background_color(ff0000ff)"),
      ("filters:background_color(transparent)", ""), ("filters:round_corner(0,1,2,3)", ""),
      ("filters:round_corner(9|9,1,2,3)", "filters:round_corner(9,1,2,3,false)"),
      ("filters:sharpen(0,1,true)", "filters:sharpen(1,0,false)"), ("filters:colorize(0,0,0,red)", ""),
      ("filters:format(webp)", "filters:quality(9)"), ("filters:stretch()", ""),
      ("filters:grayscale()", "filters:grayscale( )"),
      ("filters:blur('2')", "filters:blur(2)"), ("filters:no_upscale():blur(2)", "filters:blur(2)"),
    ])
  func whatMeansTheSameHasOneKey(_ left: String, _ right: String) throws {
    #expect(try key(left) == key(right))
  }

  // MARK: Mistakes

  @Test(arguments: [
    "background_color()", "background_color(reddish)", "background_color(12345)", "background_color(red,1)",
    "background_color(%23fff)", "blur()", "blur(0)", "blur(-1)", "blur(nan)", "blur(1e308)", "blur(1001)",
    "blur(9223372036854775808)", "blur(1.5)", "blur(1,-1)", "blur(1,nan)", "blur(1,1e308)", "blur(1,2,3)", "blur(+1)",
    "brightness()", "brightness(101)", "brightness(-101)", "brightness(x)", "brightness(1.5)", "colorize(1,2,3)",
    "colorize(101,0,0,red)", "colorize(-1,0,0,red)", "colorize(1,2,3,zzz)", "contrast(101)", "contrast(--1)",
    "contrast(-)", "cover(1)", "fill()", "fill(nocolour)", "fill(auto,maybe)", "fill(red,maybe)",
    "fill(red,true,1)", "focal()", "focal(1x1:1x2)", "focal(2x2:1x1)", "focal(0.1x0.1)", "focal(1x2:3)",
    "focal(1x2:99999999999999999999x3)", "format()", "format(exe)", "format(svg)", "grayscale(1)", "max_age(-1)",
    "max_age(9223372036854775808)", "max_age()", "max_bytes(1.5)", "max_bytes(-5)", "no_upscale(1)", "proportion(0)",
    "proportion(1.1)", "proportion(nan)", "proportion(-0.5)", "proportion(1e-3)", "quality(101)", "quality(-1)",
    "quality(80.5)", "quality()", "quality(\u{663})", "rgb(1,2)", "rgb(1,2,101)", "rgb(1,2,3,4)", "rgb(,,)",
    "rotate()", "rotate(999999999)", "rotate(90.0)", "round_corner(5)", "round_corner(5|x,0,0,0)",
    "round_corner(-5,0,0,0)", "round_corner(5,256,0,0)", "round_corner(5|5|5,0,0,0)", "round_corner(5,0,0,0,x)",
    "round_corner(,0,0,0)", "saturation(-1)", "saturation(1e308)", "saturation(101)", "saturation()",
    "sharpen(1,2)", "sharpen(-1,1,1)", "sharpen(1,1,2)", "sharpen(nan,1,1)", "stretch(1)", "strip_exif(1)",
    "strip_icc(1)", "upscale(1)", "watermark()", "watermark(h/a)", "watermark(h/a,0,0)", "watermark(h/a,x,0,0)",
    "watermark(h/a,0,101p,0)", "watermark(h/a,0,0,101)", "watermark(h/a,0,0,-1)", "watermark(h/a,0,0,0,101)",
    "watermark(h/a,0,0,0,10,120)", "watermark(h/a,0,0,0,x)", "watermark(,0,0,0)", "watermark(h/a,,0,0)",
    "watermark(h/a,99999999999999999999,0,0)", "watermark(h/a,0,0,0,-5)", "watermark(h/a,1.5,0,0)",
    "watermark(%zz,0,0,0)", "watermark(%00,0,0,0)", "watermark(/,0,0,0)", "watermark(h/a,0,0,0,1,1,1)",
  ])
  func anArgumentWithoutMeaningIsRefusedByName(_ filter: String) throws {
    let error = try #require(self.error("filters:\(filter)"), "\(filter) was accepted")
    let name = String(filter.prefix { $0 != "(" })
    #expect(error.status == 400 && error.message.contains(name), "\(error.message)")
    #expect(!error.message.contains("\n") && error.message.hasSuffix("."))
  }

  @Test func anErrorSaysWhatTheFilterTakes() {
    #expect(
      error("filters:quality(101)")?.message
        == "The filter quality takes a whole number from 0 to 100, not '101'; write it as quality(percent).")
    #expect(
      error("filters:rgb(1,2)")?.message
        == "The filter rgb takes 3 arguments, not 2; write it as rgb(red,green,blue).")
    #expect(
      error("filters:grayscale(1)")?.message
        == "The filter grayscale takes no arguments, not 1; write it as grayscale().")
    #expect(error("filters:widen(2)")?.message == "There is no filter 'widen'.")
    #expect(error("filters:blur 2/a)")?.message.contains("name(arguments)") == true)
  }

  @Test(arguments: [
    "autojpg()", "curve([(0,0)],[(0,0)],[(0,0)],[(0,0)])", "equalize()", "extract_focal()",
    "gifv()", "noise(40)", "red_eye()",
  ])
  func aFilterThatIsNotHereIsRefusedByName(_ filter: String) {
    let name = filter.prefix { $0 != "(" }
    #expect(error("filters:\(filter)")?.message.hasPrefix("The filter \(name) is not known here: ") == true)
  }

  @Test(arguments: [
    "trim:up", "trim:", "trim:top-left:", "trim:-1", "trim:443", "trim:top-left:nan", "trim:top-left:10:1",
    "trim:99999999999999999999", "5x5:5x9", "9x9:5x5", "0x0:0x9", "0x0:99999999999999999999x1",
    "99999999999999999999x1",
    "1x9223372036854775808", "-1000000001x5",
  ])
  func aPartWithoutMeaningIsRefused(_ part: String) throws {
    let error = try #require(self.error(part), "\(part) was accepted")
    #expect(error.status == 400 && error.message.utf8.count < 300)
  }

  @Test func noAddressTakesMuchWork() {
    func filters(_ count: Int) -> String { "filters:" + (0..<count).map { _ in "blur(1)" }.joined(separator: ":") }
    #expect(error(filters(64)) == nil)
    #expect(error(filters(65))?.message == "The address has more than 64 filters.")
    #expect(error("filters:quality(\(String(repeating: "1", count: 4000)))")?.message.utf8.count ?? 9999 < 300)
    #expect(error("filters:quality(\(String(repeating: "1", count: 5000)))")?.message.contains("4096") == true)
    #expect(error("filters:\(String(repeating: "a", count: 4000))(1)")?.message.utf8.count ?? 9999 < 300)
    #expect(error("filters:rgb(\(String(repeating: ",", count: 4000)))")?.status == 400)
    #expect(error("filters:\(String(repeating: "(", count: 4000)))")?.message.utf8.count ?? 9999 < 300)
    #expect(error("filters:rgb(\(String(repeating: "'", count: 3000)),1,1)")?.status == 400)
    #expect(error(String(repeating: "a/", count: 9000))?.message == "The address has more than 16384 bytes.")
    #expect(error("1000000000x1000000000") == nil)
  }

  @Test func everyFilterIsDescribedOnce() {
    var names: Set<String> = []
    for filter in ThumborFilter.all {
      #expect(names.insert(filter.name).inserted && ThumborFilter.refused[filter.name] == nil, "\(filter.name)")
      #expect(filter.help.hasSuffix(".") && filter.counts.lowerBound >= 0, "\(filter.name)")
      let count = filter.arguments.isEmpty ? 0 : filter.arguments.split(separator: ",").count
      #expect(filter.arguments.hasSuffix(",...") || count == filter.counts.upperBound, "\(filter.name)")
    }
    #expect(names.count + ThumborFilter.refused.count == 37)
  }

  @Test func spoiledAddressesAreOrdersOrErrors() {
    var random = SeededRandom(seed: 21)
    let letters = Array("/:@.%,-_()'x|0123456789abcrsw\u{0}é")
    let seeds = [
      "/unsafe/meta/trim:bottom-right:10/10x20:110x120/adaptive-full-fit-in/-300x-200/left/top/smart/"
        + "filters:watermark(http://h/l(1).png,-10,repeat,50,20):fill(red,true):rgb(1,2,3):blur(4,2)/https://h/a%20b",
      "/s/origx200/filters:round_corner(20|20,255,0,0,1):focal(1x2:30x40):quality(80)/h/a.png",
    ]
    var accepted = 0
    for _ in 0..<3000 {
      var text = Array(seeds.randomElement(using: &random)!)
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let place = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text.remove(at: place)
        case 1: text.insert(letters.randomElement(using: &random)!, at: place)
        default: text[place] = letters.randomElement(using: &random)!
        }
      }
      do throws(ServiceError) {
        let order = try ThumborReader(signer: nil, formats: NamedFormats.names).order(at: String(text)[...], now: 0)
        _ = try order.pipeline { _ throws(ServiceError) in .identity }.cacheKey
        accepted += 1
      } catch {
        #expect(error.status == 400, "\(String(text)): \(error)")
      }
    }
    #expect(accepted > 300)
  }
}

extension Bitmap {
  /// A picture whose columns have the colours that a function gives.
  fileprivate init(width: Int, height: Int, _ color: (Int) -> PixelColor) throws {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .rgba8)
    let bytesPerRow = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let pixel = color(x)
          for (index, value) in [pixel.red, pixel.green, pixel.blue, pixel.alpha].enumerated() {
            bytes[y * bytesPerRow + 4 * x + index] = value
          }
        }
      }
    }
    self = bitmap
  }
}
