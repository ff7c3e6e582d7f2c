import EaselCore
import EaselPixels
import EaselTestPixels
import Foundation
import Testing

@testable import EaselJPEG2000

/// Parts of pictures, of which only the tiles are read that hold them.
struct RegionTests {
  private static let parts = [
    PixelRect(x: 0, y: 0, width: 16, height: 12), PixelRect(x: 5, y: 3, width: 9, height: 7),
    PixelRect(x: 15, y: 11, width: 1, height: 1), PixelRect(x: 1, y: 0, width: 3, height: 2),
  ]

  private func read(
    _ bytes: ImageBytes, _ part: PixelRect?, limits: Limits = Limits(),
    _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> Image {
    var options = DecodeOptions()
    options.region = part
    change(&options)
    return try JPEG2000Coder().decode(bytes, options: options, work: WorkContext(limits: limits))
  }

  private func read(_ bytes: [UInt8], _ part: PixelRect? = nil, limits: Limits = Limits()) throws -> Image {
    try read(ImageBytes(bytes), part, limits: limits)
  }

  /// In tiles and in one, in grey and colours, also where these have fewer samples.
  @Test(arguments: [
    Codestreams.colors, Codestreams.gray, Codestreams.grayAndAlpha, Codestreams.colorsAndAlpha, Codestreams.tiles,
    Codestreams.wideGray, Codestreams.signedGray, Codestreams.halvedColors,
  ])
  func aPartIsThatOfTheWhole(_ bytes: [UInt8]) throws {
    let whole = try read(bytes)
    for part in Self.parts + [
      PixelRect(x: 13, y: 10, width: 20, height: 9), PixelRect(x: 32, y: 16, width: 8, height: 8),
    ]
    where part.intersection(PixelRect(covering: whole.size)) == part {
      let image = try read(bytes, part)
      #expect(image.size == part.size)
      #expect(try image.bitmap == whole.bitmap.cropped(to: part), "\(part)")
    }
  }

  @Test func aPartOfAFileOnDiskIsRead() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jp2").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(HandmadeJP2(stream: Codestreams.tiles).bytes).write(to: URL(fileURLWithPath: path))
    let file = try ImageBytes(contentsOfFile: path)
    let part = PixelRect(x: 17, y: 9, width: 12, height: 11)
    #expect(try read(file, part).bitmap == read(Codestreams.tiles).bitmap.cropped(to: part))
  }

  @Test func aPartIsMadeSmallerFromTheResolutionThatSuffices() throws {
    let bytes = ImageBytes(Codestreams.tiles)
    func small(_ part: PixelRect?, _ width: Int, _ height: Int) throws -> Image {
      try read(bytes, part) {
        $0.thumbnailSize = PixelSize(width: width, height: height)
        $0.preservesAspectRatio = false
        $0.fidelity = .fast
      }
    }
    let whole = try small(nil, 20, 12)
    for (part, cut) in [
      (PixelRect(x: 0, y: 0, width: 32, height: 16), PixelRect(x: 0, y: 0, width: 16, height: 8)),
      (PixelRect(x: 16, y: 8, width: 24, height: 16), PixelRect(x: 8, y: 4, width: 12, height: 8)),
    ] {
      let image = try small(part, cut.width, cut.height)
      #expect(image.traits.contains(.thumbnail))
      #expect(try image.bitmap == whole.bitmap.cropped(to: cut), "\(part)")
    }
    #expect(try small(PixelRect(x: 3, y: 5, width: 7, height: 9), 2, 2).size == PixelSize(width: 2, height: 2))
  }

  /// What is in the tiles outside of a part need not be right.
  @Test func otherTilesAreNotDecoded() throws {
    var damaged = Codestreams.tiles
    for place in damaged.count - 30..<damaged.count - 8 { damaged[place] = 0 }
    let part = PixelRect(x: 2, y: 1, width: 10, height: 12)
    #expect(try read(damaged, part).bitmap == read(Codestreams.tiles).bitmap.cropped(to: part))
    let last = PixelRect(x: 32, y: 16, width: 8, height: 8)
    #expect(try (try? read(damaged, last))?.bitmap != read(Codestreams.tiles).bitmap.cropped(to: last))
  }

  /// Limits bind the part, whatever the size of the whole.
  @Test func aPartOfAPictureThatIsTooLargeMayBeRead() throws {
    let limits = Limits(framePixels: 500)
    #expect(throws: ImageError.self) { try read(Codestreams.tiles, limits: limits) }
    #expect(try read(Codestreams.tiles, PixelRect(x: 0, y: 0, width: 25, height: 20), limits: limits).size.area == 500)
    let error = #expect(throws: ImageError.self) {
      try read(Codestreams.tiles, PixelRect(x: 0, y: 0, width: 26, height: 20), limits: limits)
    }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.framePixels") == true)
  }

  @Test(arguments: [
    PixelRect(x: 0, y: 0, width: 41, height: 20), PixelRect(x: -1, y: 0, width: 3, height: 3),
    PixelRect(x: 39, y: 23, width: 2, height: 1), PixelRect(x: 0, y: 0, width: 0, height: 1),
  ])
  func aPartOutsideIsRefused(_ part: PixelRect) {
    let error = #expect(throws: ImageError.self) { try read(Codestreams.tiles, part) }
    #expect(error?.code == .unsupportedFormat)
  }
}
