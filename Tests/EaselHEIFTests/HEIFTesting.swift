import CEaselColorFixtures
import EaselCore
import EaselTestPixels
import Testing

@testable import EaselHEIF

/// Common helpers of this module's tests.
enum HEIFTesting {
  static let coder = HEIFCoder()

  static func decode(
    _ bytes: [UInt8], work: WorkContext = WorkContext(), _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> Image {
    var options = DecodeOptions()
    change(&options)
    return try coder.decode(ImageBytes(bytes), options: options, work: work)
  }

  static func probe(_ bytes: [UInt8]) throws -> ImageHeader { try coder.probe(ImageBytes(bytes), work: WorkContext()) }

  /// A file with one picture.
  static func single(_ picture: CodedPicture = .quarters, _ properties: [UInt8]...) -> HEIFBuilder {
    var builder = HEIFBuilder()
    builder.add(picture, as: 1)
    builder.items[0].properties += properties
    return builder
  }

  /// A grid of two by two cells whose fourth is orange; its right and lower edges are cut off.
  static func grid(_ width: Int = 128, _ height: Int = 128) -> HEIFBuilder {
    var builder = HEIFBuilder()
    builder.addGrid(2, 2, of: (width, height), cells: [2, 2, 2, 3], as: 1)
    builder.add(.quarters, as: 2)
    builder.add(.orange, as: 3)
    return builder
  }

  /// The box of a profile of linear light, so that every middle value becomes lighter in sRGB; of grey without primaries.
  static func linearProfile(_ primaries: [Double]? = nil) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count =
      primaries.map { easel_make_icc_profile($0, 1, &bytes, bytes.count) }
      ?? easel_make_icc_profile(nil, 1, &bytes, bytes.count)
    return HEIFBuilder.box("colr", Array("prof".utf8), Array(bytes.prefix(count)))
  }

  static let red = [224, 32, 32], green = [32, 224, 32], blue = [32, 32, 224], grey = [200, 200, 200]
  static let orange = [240, 160, 40]

  /// The names of the colours at some places.
  static func colors(of bitmap: Bitmap, at places: (Int, Int)...) -> [String] {
    let known = ["red": red, "green": green, "blue": blue, "grey": grey, "orange": orange]
    return places.map { x, y in
      let pixel = bitmap.components(x, y)
      return known.first { zip($0.value, pixel).allSatisfy { abs($0 - $1) < 12 } }?.key ?? "\(pixel)"
    }
  }
}
