import EaselCore
import EaselTestPixels

@testable import EaselSVG

/// Common helpers of this module's tests.
enum SVGTesting {
  static let coder = SVGCoder()

  /// A document with these attributes and this content.
  static func svg(_ attributes: String, _ content: String = "") -> String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \(attributes)>\(content)</svg>"
  }

  /// A document of 10 by 10 pixels.
  static func small(_ content: String) -> String { svg("width=\"10\" height=\"10\"", content) }

  /// A red area that covers every document.
  static let red = "<rect width=\"100000\" height=\"100000\" fill=\"red\"/>"

  static func probe(_ text: String) throws -> ImageHeader { try probe(Array(text.utf8)) }

  static func probe(_ bytes: [UInt8]) throws -> ImageHeader { try coder.probe(ImageBytes(bytes), work: WorkContext()) }

  static func decode(_ text: String, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
    try decode(Array(text.utf8), change)
  }

  static func decode(_ bytes: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
    var options = DecodeOptions()
    change(&options)
    return try coder.decode(ImageBytes(bytes), options: options, work: WorkContext())
  }

  /// The error with which decoding ends; nil if there is none.
  static func error(of text: String) -> ImageError? { error(of: Array(text.utf8)) }

  static func error(of bytes: [UInt8], _ limits: Limits = Limits()) -> ImageError? {
    do {
      _ = try coder.decode(ImageBytes(bytes), options: DecodeOptions(), work: WorkContext(limits: limits))
      return nil
    } catch {
      return error as? ImageError
    }
  }

  static func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }
}

extension PixelColor {
  static let clear = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)
  static let pureRed = PixelColor(red: 255, green: 0, blue: 0, alpha: 255)
}

extension String {
  /// The bytes in UTF-16, the less significant byte of each unit first.
  var utf16Bytes: [UInt8] { utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
}
