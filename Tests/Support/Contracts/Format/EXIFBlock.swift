import EaselCore
import FoundationEssentials

/// Small blocks of EXIF, read and written without any coder's code.
enum EXIFBlock {
  /// A block that has an orientation and nothing else.
  static func of(_ orientation: ImageMetadata.Orientation) -> Data {
    let directory: [UInt8] = [0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue)]
    return Data([0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8] + directory + [UInt8](repeating: 0, count: 6))
  }

  /// The orientation in the first directory of a block; nil if there is none.
  static func orientation(in block: Data?) -> ImageMetadata.Orientation? {
    guard let bytes = block.map(Array.init), bytes.count >= 10 else { return nil }
    let isBigEndian = bytes[0] == 0x4D
    func number(_ place: Int, _ count: Int) -> Int {
      guard place + count <= bytes.count else { return 0 }
      let part = bytes[place..<place + count]
      return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    let directory = number(4, 4)
    for entry in 0..<number(directory, 2) where number(directory + 2 + 12 * entry, 2) == 0x112 {
      return ImageMetadata.Orientation(rawValue: number(directory + 10 + 12 * entry, 2))
    }
    return nil
  }
}
