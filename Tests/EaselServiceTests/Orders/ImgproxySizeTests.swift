import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// The sizes that imgproxy's rules give for the options of its URLs.
struct ImgproxySizeTests {
  /// The size of the result for a picture of this size, by the pipeline and by its plan.
  private func size(_ options: String, of picture: PixelSize, atMost side: Int? = nil) throws -> PixelSize {
    let reader = ImgproxyReader(rules: URLRules(), signer: nil, formats: NamedFormats.names)
    var order = try reader.order(
      at: "/unsafe/\(options)\(options.isEmpty ? "" : "/")plain/https://host/a.jpg", now: 0)
    if let side { order = order.bounded(to: side) }
    let pipeline = try order.pipeline { _ throws(ServiceError) in .identity }
    let image = Image(try Bitmap(size: picture, format: .opaqueRGBA8))
    let size = try pipeline.transform(image, work: WorkContext()).size
    #expect(try pipeline.plan(for: picture).transformer.transform(image, work: WorkContext()).size == size)
    return size
  }

  /// The options, and the width and height for a picture of 100x50 and for one of 40x90.
  @Test(arguments: [
    ("rs:fit:60:60", 60, 30, 27, 60),
    ("rs:fit:60:0", 60, 30, 40, 90),
    ("rs:fit:0:20", 40, 20, 9, 20),
    ("rs:fit:300:200", 100, 50, 40, 90),
    ("rs:fit:300:200:1", 300, 150, 89, 200),
    ("rs:fit:300:200:0:1", 300, 200, 300, 200),
    ("rs:fit:60:60:0:1", 60, 60, 60, 60),
    ("rs:pad:60:60", 60, 60, 60, 60), ("rs:pad:300:200", 300, 200, 300, 200),
    ("rs:fill:60:60", 60, 50, 40, 60),
    ("rs:fill:300:20", 100, 20, 40, 20),
    ("rs:fill:300:200:1", 300, 200, 300, 200),
    ("rs:fill:300:200", 100, 50, 40, 90),
    ("rs:fill-down:300:200", 75, 50, 40, 27),
    ("rs:fill-down:200:50", 100, 25, 40, 10),
    ("rs:fill-down:60:60", 50, 50, 40, 40),
    ("rs:fill-down:50:300", 8, 50, 15, 90),
    ("rs:force:60:60", 50, 50, 40, 40),
    ("rs:force:50:0", 50, 50, 40, 72),
    ("rs:force:0:20", 100, 20, 40, 20),
    ("rs:force:300:0", 100, 17, 40, 12),
    ("rs:force:300:0:1", 300, 50, 300, 90),
    ("rs:force:300:30", 100, 10, 40, 4),
    ("rs:force:50:0/dpr:0.5", 25, 25, 25, 45),
    ("rs:force:40:0/dpr:2", 40, 50, 40, 90),
    ("rs:force:50:0/z:0.5", 25, 25, 25, 45),
    ("rs:auto:60:30", 60, 30, 13, 30),
    ("rs:auto:30:60", 30, 15, 30, 60),
    ("rs:auto:50:50", 50, 50, 22, 50),
    ("s:40:40", 40, 20, 18, 40),
    ("w:40", 40, 20, 40, 90),
    ("h:10", 20, 10, 4, 10),
    ("w:40/h:40/rt:fill", 40, 40, 40, 40),
    ("w:40/el:True", 40, 20, 40, 90),
    ("w:200/el:TRUE", 200, 100, 200, 450),
    ("w:200/el:F", 100, 50, 40, 90),
    ("w:40/mw:80", 40, 40, 40, 180),
    ("w:40/mh:40", 40, 40, 40, 90),
    ("mw:200", 200, 100, 200, 450),
    ("w:40/h:40/mw:80", 40, 40, 40, 40),
    ("z:0.5", 50, 25, 20, 45),
    ("z:2", 100, 50, 40, 90),
    ("z:0.5:1", 50, 50, 20, 90),
    ("w:40/z:0.5", 20, 10, 20, 45),
    ("w:40/z:2/el:1", 80, 40, 80, 180),
    ("w:40/dpr:2", 80, 40, 40, 90),
    ("w:40/dpr:4", 100, 50, 40, 90),
    ("w:40/dpr:4/el:1", 160, 80, 160, 360),
    ("w:40/dpr:0.5", 20, 10, 20, 45),
    ("dpr:2", 100, 50, 40, 90),
    ("rs:fill:40:40/dpr:2", 50, 50, 40, 40),
    ("c:50:20", 50, 20, 40, 20),
    ("c:0.5:0.5", 50, 25, 20, 45),
    ("c:0:20", 100, 20, 40, 20),
    ("c:500:20", 100, 20, 40, 20),
    ("c:50:20/w:20", 20, 8, 20, 10),
    ("c:50:50/rs:fill:20:10", 20, 10, 20, 10),
    ("pd:10", 120, 70, 60, 110),
    ("pd:1:2:3:4", 106, 54, 46, 94),
    ("pd:5:10", 120, 60, 60, 100),
    ("rot:90", 50, 100, 90, 40),
    ("rot:90/w:20", 20, 40, 20, 9),
    ("rot:180/rs:fill:30:10", 30, 10, 30, 10),
    ("rot:270/rs:fill:30:60", 30, 60, 30, 40),
    ("ex:1/w:200/h:200", 200, 200, 200, 200),
    ("ex:1:nowe/w:200", 200, 50, 200, 90),
    ("exar:1/w:60/h:60", 60, 60, 60, 60),
    ("exar:t/w:300/h:300", 100, 100, 90, 90),
  ])
  func aPictureGetsTheSizeOfImgproxy(_ options: String, _ wide: Int, _ high: Int, _ width: Int, _ height: Int) throws {
    let sizes = (
      try size(options, of: PixelSize(width: 100, height: 50)), try size(options, of: PixelSize(width: 40, height: 90))
    )
    #expect(sizes.0 == PixelSize(width: wide, height: high), "\(options)")
    #expect(sizes.1 == PixelSize(width: width, height: height), "\(options)")
  }

  /// Where a picture has too few pixels for `dpr`, imgproxy lowers it for paddings and bars too, and makes the picture of
  /// 40x90 with a padding 60x110, and both with bars 120x120.
  @Test(arguments: [("w:40/pd:10/dpr:2", 120, 80, 80, 130), ("ex:1/w:120/h:120/dpr:2", 240, 240, 240, 240)])
  func thePixelRatioOfBordersIsTheOneOfTheURL(
    _ options: String, _ wide: Int, _ high: Int, _ width: Int, _ height: Int
  ) throws {
    #expect(try size(options, of: PixelSize(width: 100, height: 50)) == PixelSize(width: wide, height: high))
    #expect(try size(options, of: PixelSize(width: 40, height: 90)) == PixelSize(width: width, height: height))
  }

  // MARK: The longest side

  /// The same, where no side may have more than 60 pixels.
  ///
  /// Where the picture is cut too, or has a padding, imgproxy makes it
  /// smaller still: `rs:fill:80:70` gives 60x38 and 34x60 there.
  @Test(arguments: [
    ("", 60, 30, 27, 60),
    ("w:80", 60, 30, 27, 60),
    ("w:30", 30, 15, 27, 60),
    ("rs:fill:80:70", 60, 50, 40, 53),
    ("w:200/h:200/el:1", 60, 30, 27, 60),
    ("rs:fit:70:70:0:1", 60, 60, 60, 60),
    ("w:50/pd:10", 57, 37, 36, 60),
    ("rot:90", 30, 60, 60, 27),
    ("dpr:2/w:50/el:1", 60, 30, 27, 60),
    ("z:3/el:1", 60, 30, 27, 60),
    ("rs:force:300:0:1", 60, 10, 60, 18),
    ("h:40/el:1", 60, 30, 18, 40),
  ])
  func aPictureWithALongerSideBecomesSmaller(
    _ options: String, _ wide: Int, _ high: Int, _ width: Int, _ height: Int
  ) throws {
    let sizes = (
      try size(options, of: PixelSize(width: 100, height: 50), atMost: 60),
      try size(options, of: PixelSize(width: 40, height: 90), atMost: 60)
    )
    #expect(sizes.0 == PixelSize(width: wide, height: high), "\(options)")
    #expect(sizes.1 == PixelSize(width: width, height: height), "\(options)")
  }

  @Test(arguments: [
    "pd:10/w:50", "pd:100", "pd:31:7:5:3/rs:fill:300:500:1", "ex:1/w:500/h:20/pd:3", "z:9/el:1/pd:1", "mw:400",
    "mh:500",
    "exar:1/w:700/h:90/el:1", "rot:90/w:500/el:1/pd:9", "car:9/w:900/el:1", "dpr:8/w:50/h:9/ex:1/el:1",
    "rt:force/w:900/el:1",
  ])
  func noResultHasALongerSide(_ options: String) throws {
    for picture in [
      PixelSize(width: 100, height: 50), PixelSize(width: 7, height: 300), PixelSize(width: 1, height: 1),
    ] {
      let size = try size(options, of: picture, atMost: 60)
      #expect(max(size.width, size.height) <= 60, "\(options) makes \(size)")
    }
  }

  @Test func aSmallerLimitChangesOnlyWhatItMust() throws {
    let reader = ImgproxyReader(rules: URLRules(), signer: nil, formats: NamedFormats.names)
    for (options, isChanged) in [("rs:fit:30:20", false), ("rs:fill:30:60", false), ("w:30", true), ("q:50", true)] {
      let order = try reader.order(at: "/s/\(options)/plain/https://host/a", now: 0)
      let keys = try [order, order.bounded(to: 60)].map {
        try $0.pipeline { _ throws(ServiceError) in .identity }.cacheKey
      }
      #expect((keys[0] != keys[1]) == isChanged, "\(options): \(keys)")
    }
  }
}
