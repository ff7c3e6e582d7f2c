/// The colours of a frame.
struct GIFColors: Hashable {
  /// Red, green and blue of each colour; a transparent entry comes last.
  let table: [UInt8]
  /// The index that means transparency.
  let transparent: Int?
  /// True if the table holds every colour of the frame.
  let areExact: Bool

  /// Begins without any colour, for a frame without a table.
  init() { (table, transparent, areExact) = ([], nil, true) }

  init(_ colors: [UInt8], hasTransparent: Bool, areExact: Bool) {
    table = hasTransparent || colors.isEmpty ? colors + [0, 0, 0] : colors
    transparent = hasTransparent ? colors.count / 3 : nil
    self.areExact = areExact
  }

  /// The colours that opaque pixels can have.
  var opaque: ArraySlice<UInt8> { transparent == nil ? table[...] : table.dropLast(3) }

  /// True if the table holds all of these colours, and a transparent entry if the frame needs one.
  func holds(_ colors: [UInt8], needsTransparent: Bool) -> Bool {
    guard areExact, !table.isEmpty, !needsTransparent || transparent != nil else { return false }
    let own = Set(Self.packed(opaque))
    return Self.packed(colors[...]).allSatisfy(own.contains)
  }

  private static func packed(_ colors: ArraySlice<UInt8>) -> [UInt32] {
    stride(from: colors.startIndex, to: colors.endIndex, by: 3).map {
      UInt32(colors[$0]) << 16 | UInt32(colors[$0 + 1]) << 8 | UInt32(colors[$0 + 2])
    }
  }
}
