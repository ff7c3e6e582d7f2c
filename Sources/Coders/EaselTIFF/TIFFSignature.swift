/// The first bytes of TIFF files and of similar camera raws.
enum TIFFSignature {
  /// The mark of the byte order, and the number after it.
  private static func number(of prefix: [UInt8]) -> (isBigEndian: Bool, number: Int)? {
    guard prefix.count >= 4 else { return nil }
    switch (prefix[0], prefix[1]) {
    case (0x49, 0x49): return (false, Int(prefix[2]) | Int(prefix[3]) << 8)
    case (0x4D, 0x4D): return (true, Int(prefix[2]) << 8 | Int(prefix[3]))
    default: return nil
    }
  }

  /// The byte order and the width of offsets; nil if the bytes are no TIFF.
  static func order(of prefix: [UInt8]) -> (isBigEndian: Bool, isBig: Bool)? {
    guard let (isBigEndian, number) = number(of: prefix), number == 42 || number == 43 else { return nil }
    return (isBigEndian, number == 43)
  }

  /// The name of a camera raw whose signature is almost the signature of TIFF.
  static func raw(of prefix: [UInt8]) -> String? {
    guard let (isBigEndian, number) = number(of: prefix) else { return nil }
    switch number {
    case 0x4F52, 0x5352: return "an Olympus raw (ORF)"
    case 0x55 where !isBigEndian: return "a Panasonic raw (RW2)"
    default: return nil
    }
  }
}
