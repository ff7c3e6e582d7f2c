import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJXL

/// Pictures in CMYK, which libjxl wrote, with a profile of two points per ink.
struct InkTests {
  private typealias T = JXLTesting

  /// The inks of 4 by 2 pixels: cyan, magenta, yellow and black, of which 255 is none.
  private static let inks: [[Int]] = [
    [255, 255, 255, 255], [0, 255, 255, 255], [255, 0, 255, 255], [255, 255, 0, 255],
    [255, 255, 255, 0], [128, 200, 64, 200], [10, 20, 30, 40], [0, 0, 0, 0],
  ]
  private static let alpha = [255, 255, 128, 64, 255, 0, 200, 255]

  /// The colours that Little CMS makes of them: `transicc -t0 -b`.
  ///
  /// Black ink alone is grey in this profile, so these are no products. The transform of bytes differs by up to 2.
  private static let colors: [[Int]] = [
    [255, 255, 255], [0, 187, 224], [237, 115, 158], [255, 230, 109],
    [90, 90, 90], [157, 163, 111], [49, 21, 0], [32, 0, 0],
  ]

  private static let products = inks.map { ink in ink.prefix(3).map { ($0 * ink[3] + 127) / 255 } }

  /// 8 bits with alpha.
  private static let still = bytes(
    "AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAADranhsY/8KCHBQoAAS/hQGJMwDhKmiJ0l+cl5HB0nRgrfL"
      + "PUU5q4HClqv1HgD1B2A/0PjxuVmlX1z4LyUYGWEgtddqQafT0sYMPRIO+8YCAH9zv9nov3/f9/dQgALE9DlVXU0BypOu1wLUo6UCK1OA"
      + "CGmaeU+NRKtMeUYPaUY9KisgoohyxEwssXoejage86cn1odkAUoR0YzOqpBYiGpLUY9nq6hCH37JCgggAAEA3ABLGIsVwhFMNwHqugMM"
      + "5V//qPCFn3ILIADW7+bi0syf/Ld/wtxqVfUmf6B+nWXazB/7V1Ft4MoB")

  /// 16 bits; in the second frame the rows are exchanged.
  private static let moving = bytes(
    "AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAAEBanhscAAAAAD/CghwwYAfUfwAyZ/CgIR5gDBV9CTJT87r"
      + "6CApWvB2uacoZzVQ2HK13gOg/gDsBxo/Pjer9IsL/6UEIyMMpPZaLeh0WtqYoUfCYd9YAOBv7jcb/ffv+/4eClCAmD6nqqspQHnS9VqA"
      + "erRUYGUKECFNM++pkWiVKc/oIc2oR2UFRBRRjpiJJVbPoxHVY/70xPqQLEApIprRWRUSC1FtKerxbBVV6MMvWQEICCAZAAAUAUsYixVC"
      + "ErTOAoDt8gfY4/9f+v/T9/ftywIAcP3/Drjyn6eZ1711v/9/+v/P/wz//wFwB9wXHaxkk/9/pf9/Ak6Tm/txAgAAAGFqeGxwgAAAAQgI"
      + "IHIAADQBSxiLFUIScF4A8L51AEf/f/r9FAIPYWKuyDQCQfIJ0FCeoSUfn5shw9xqn8EwCX8ACIM9QaXVI4jgZ6X9/xEy0p+g20oZl57X"
      + "UPIATB4=")

  /// The same components in sRGB.
  private static let withoutProfile = bytes(
    "AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAABFanhsY/8KCHAwCkACCAgQALwASxiLFcIRTDcBXroDDOVf"
      + "/6jwhJ9yCyAA1u/PxaWZP/lv/4S51arqJn+gfp1l2gQ=")

  /// 600 by 1 pixels without alpha, in three parts.
  private static let wide = bytes(
    "AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAAE0anhsY/8KAICuBBgFQPhTGJAwDxCmip4k+cl5HR0kRQve"
      + "LvcU5awGCluu1nsA1B+A/UDjx+dmlX5x4b+UYGSEgdReqwWdTksbM/RIOOwbCwD8zf1mo//+fd/fQwEKENPnVHU1BShPul4LUI+WCqxM"
      + "ASKkaeY9NRKtMuUZPaQZ9aisgIgiyhEzscTqeTSiesyfnlgfkgUoRUQzOqtCYiGqLUU9nq2iCn34JSsICBAAuAAAAAAHdIAESygkxkVB"
      + "wQREqF0zZoxJHB0bEWNw9gJSANwcKQJoXGncRGUDRUVLImIBvl1hAUMRPABAGEZnklJAKxlv8TyTRQVlKN+NRheCpl8XAALAC5YJQEsM"
      + "8lFsrSQIyRnDXPUMgWGSzwDtBRcAAqAZtgTA7TfCB2UiJnwgAQ==")

  private static func bytes(_ text: String) -> ImageBytes { ImageBytes(Data(base64Encoded: text)!) }

  private func expect(
    _ bitmap: Bitmap, _ colors: [[Int]], alpha: [Int] = Array(repeating: 255, count: 8), within tolerance: Int = 0,
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(bitmap.size == PixelSize(width: 4, height: 2), sourceLocation: location)
    for place in 0..<8 {
      let pixel = bitmap.components(place % 4, place / 4).map { Int($0) }
      let isNear = zip(pixel, colors[place]).allSatisfy { abs($0 - $1) <= tolerance }
      #expect(isNear && pixel[3] == alpha[place], "pixel \(place): \(pixel)", sourceLocation: location)
    }
  }

  @Test func theProfileConvertsThemToSRGB() throws {
    let image = try T.decode(Self.still)
    expect(image.bitmap, Self.colors, alpha: Self.alpha, within: 2)
    #expect(image.bitmap.format.alpha == .straight && image.metadata.iccProfile == nil && image.traits == [])
    let header = try T.probe(Self.still)
    #expect(header.iccProfileBytes == 352 && header.bitDepth == 8 && header.hasAlpha)
  }

  @Test func withoutColorManagementTheyAreMultiplied() throws {
    let image = try T.decode(Self.still) { $0.convertsColor = false }
    expect(image.bitmap, Self.products, alpha: Self.alpha)
    #expect(image.metadata.iccProfile == nil, "The profile of inks does not fit the pixels.")
  }

  @Test func withADamagedProfileTheyAreMultiplied() throws {
    var pixels = Self.withAlpha(Self.inks)
    let black = Self.inks.map { UInt8($0[3]) }
    try pixels.withUnsafeMutableBytes { pixels in
      try CMYKConversion(profile: Data("no profile".utf8), isInverted: true)
        .convert(pixels, black: black, work: WorkContext())
    }
    #expect(pixels == Self.withAlpha(Self.products))
  }

  private static func withAlpha(_ colors: [[Int]]) -> [UInt8] {
    colors.flatMap { color -> [UInt8] in color.prefix(3).map { UInt8($0) } + [77] }
  }

  @Test func ofSixteenBitsEightAreLeft() throws {
    #expect(try T.probe(Self.moving).bitDepth == 16)
    let image = try T.decode(Self.moving)
    expect(image.bitmap, Self.colors, within: 2)
    let deep = try T.decode(Self.moving) { $0.keeps16Bits = true }
    #expect(deep.bitmap == image.bitmap && deep.bitmap.format == .opaqueRGBA8)
  }

  @Test func eachFrameHasItsOwnBlack() throws {
    let frames = try #require(try T.decode(Self.moving).frames)
    for index in [1, 0, 1] {
      let colors = index == 0 ? Self.colors : Array(Self.colors[4...] + Self.colors[..<4])
      expect(try frames.frame(at: index), colors, within: 2)
    }
  }

  @Test func thumbnailsAreThoseOfTheConvertedPixels() throws {
    let size = PixelSize(width: 2, height: 1)
    let small = try T.decode(Self.still) { $0.thumbnailSize = size }
    #expect(
      try small.bitmap == T.decode(Self.still).bitmap.resized(to: size, linearLight: true) && small.traits == .thumbnail
    )
    let frames = try #require(try T.decode(Self.moving).frames)
    let smallFrames = try #require(try T.decode(Self.moving) { $0.thumbnailSize = size }.frames)
    for index in [1, 0] {
      #expect(
        try smallFrames.frame(at: index) == frames.frame(at: index).resized(to: size, linearLight: true),
        "frame \(index)")
    }
  }

  @Test func theyAreConvertedWhileTheyArrive() throws {
    let whole = try T.decode(Self.still).bitmap
    let bytes = try Self.still.array
    let made = try T.coder.makeDecoder(prefix: bytes, options: DecodeOptions(), work: WorkContext())
    let decoder = try #require(made)
    for end in stride(from: 20, to: bytes.count, by: 16) {
      try decoder.update(ImageBytes(Array(bytes[..<end])))
      _ = try decoder.preview()
    }
    try decoder.update(Self.still)
    #expect(try decoder.preview()?.bitmap == whole)
    #expect(try decoder.finish(Self.still).bitmap == whole)
  }

  /// libjxl keeps black back until the end, and without it the other inks are a wrong picture.
  @Test func partsAreNotShownWithoutTheirBlack() throws {
    let bytes = try Self.wide.array
    let cut = ImageBytes(Array(bytes.dropLast()))
    let error = #expect(throws: ImageError.self) { try T.decode(cut) { $0.damaged = .show } }
    #expect(error?.code == .badImageData && error?.message.contains("ends after 348 bytes") == true)
    let made = try T.coder.makeDecoder(prefix: bytes, options: DecodeOptions(), work: WorkContext())
    let decoder = try #require(made)
    try decoder.update(cut)
    #expect(try decoder.preview() == nil)
    try decoder.update(Self.wide)
    #expect(try decoder.preview()?.bitmap == T.decode(Self.wide).bitmap)
  }

  @Test func cutAtEveryByteTheyNeverPassForWhole() throws {
    for file in [Self.still, Self.moving] {
      let bytes = try file.array
      for count in 0..<bytes.count {
        let cut = ImageBytes(Array(bytes[..<count]))
        #expect(throws: ImageError.self) { try T.decode(cut) { $0.damaged = .refuse } }
        guard let part = try? T.decode(cut, { $0.damaged = .show }) else { continue }
        #expect(part.traits.contains(.partial), "\(count)")
      }
    }
  }

  @Test func withoutAProfileOfInksBlackIsLeftOut() throws {
    expect(try T.decode(Self.withoutProfile).bitmap, Self.inks.map { Array($0.prefix(3)) })
  }
}
