/// A pixel of red, green, blue and alpha, and its place in the table of pixels seen lately.
typealias QOIPixel = SIMD4<UInt8>

extension SIMD4<UInt8> {
  static let qoiStart = QOIPixel(0, 0, 0, 255)

  var qoiPlace: Int { (Int(x) * 3 + Int(y) * 5 + Int(z) * 7 + Int(w) * 11) & 63 }

  /// The four bytes in the order of memory.
  var word: UInt32 { unsafeBitCast(self, to: UInt32.self) }
}
