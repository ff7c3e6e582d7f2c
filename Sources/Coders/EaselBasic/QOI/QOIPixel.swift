/// A pixel of red, green, blue and alpha, with its index in the table of recent pixels.
typealias QOIPixel = SIMD4<UInt8>

extension SIMD4<UInt8> {
  static let qoiStart = QOIPixel(0, 0, 0, 255)

  var qoiPlace: Int { (Int(x) * 3 + Int(y) * 5 + Int(z) * 7 + Int(w) * 11) & 63 }

  /// The pixel's four bytes in memory order.
  var word: UInt32 { unsafeBitCast(self, to: UInt32.self) }
}
