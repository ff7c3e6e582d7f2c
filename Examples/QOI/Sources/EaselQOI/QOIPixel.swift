/// A pixel as the format sees it.
struct QOIPixel: Equatable {
  var red: UInt8 = 0
  var green: UInt8 = 0
  var blue: UInt8 = 0
  var alpha: UInt8 = 255

  /// Where among the 64 pixels seen lately it is remembered.
  var place: Int { (Int(red) * 3 + Int(green) * 5 + Int(blue) * 7 + Int(alpha) * 11) % 64 }

  /// What the table of seen pixels holds at first.
  static let nothing = QOIPixel(alpha: 0)
}
