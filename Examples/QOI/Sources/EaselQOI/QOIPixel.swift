/// A pixel in the format's terms.
struct QOIPixel: Equatable {
  var red: UInt8 = 0
  var green: UInt8 = 0
  var blue: UInt8 = 0
  var alpha: UInt8 = 255

  /// The index of the pixel in the table of the 64 recently seen pixels.
  var place: Int { (Int(red) * 3 + Int(green) * 5 + Int(blue) * 7 + Int(alpha) * 11) % 64 }

  /// The initial contents of the table of seen pixels.
  static let nothing = QOIPixel(alpha: 0)
}
