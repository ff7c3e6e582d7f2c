import EaselCoding
import EaselCore

/// The content of IHDR.
struct PNGHeader: Hashable {
  enum ColorType: UInt8 {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgba = 6
  }

  let size: PixelSize
  let bitDepth: Int
  let colorType: ColorType
  let isInterlaced: Bool

  static let byteCount = 13

  init(_ bytes: [UInt8]) throws(ImageError) {
    size = PixelSize(width: Int(bytes.bigEndian32(at: 0)), height: Int(bytes.bigEndian32(at: 4)))
    bitDepth = Int(bytes[8])
    isInterlaced = bytes[12] == 1
    guard size.width <= Int32.max, size.height <= Int32.max, !size.isEmpty else {
      throw .bad("PNG", "IHDR claims \(size), which is not a valid size")
    }
    guard let colorType = ColorType(rawValue: bytes[9]), Self.depths(of: colorType).contains(bitDepth) else {
      throw .bad("PNG", "IHDR claims \(bytes[8]) bits with colour type \(bytes[9]); PNG does not allow both together")
    }
    guard bytes[10] == 0, bytes[11] == 0, bytes[12] <= 1 else {
      throw .bad(
        "PNG",
        "IHDR claims compression \(bytes[10]), filter \(bytes[11]) and interlacing \(bytes[12]), which do not exist"
      )
    }
    self.colorType = colorType
  }

  var isGray: Bool { colorType == .gray || colorType == .grayAlpha }

  private static func depths(of type: ColorType) -> [Int] {
    switch type {
    case .gray: [1, 2, 4, 8, 16]
    case .palette: [1, 2, 4, 8]
    case .rgb, .grayAlpha, .rgba: [8, 16]
    }
  }
}
