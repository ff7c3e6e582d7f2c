import EaselCoding

/// The colours of a frame.
struct GIFColors {
  /// Red, green and blue of each colour; a transparent entry comes last.
  let table: [UInt8]
  /// The index that means transparency.
  let transparent: Int?
  /// The colours as they were chosen; nil if the table holds every colour of the frame.
  let chosen: PalettePixels.Palette?

  /// Begins without any colour, for a frame without a table.
  init() { (table, transparent, chosen) = ([], nil, nil) }

  /// Every colour of a frame.
  init(_ colors: [UInt8], hasTransparent: Bool) { self.init(colors, hasTransparent: hasTransparent, chosen: nil) }

  /// Colours that were chosen for a frame with more of them.
  init(_ chosen: PalettePixels.Palette, hasTransparent: Bool) {
    let colors = stride(from: 0, to: chosen.colors.count, by: 4).flatMap { chosen.colors[$0..<$0 + 3] }
    self.init(colors, hasTransparent: hasTransparent, chosen: chosen)
  }

  private init(_ colors: [UInt8], hasTransparent: Bool, chosen: PalettePixels.Palette?) {
    table = hasTransparent || colors.isEmpty ? colors + [0, 0, 0] : colors
    transparent = hasTransparent ? colors.count / 3 : nil
    self.chosen = chosen
  }

  /// The colours that opaque pixels can have.
  var opaque: ArraySlice<UInt8> { transparent == nil ? table[...] : table.dropLast(3) }

  /// True if the table holds all of these colours, and a transparent entry if the frame needs one.
  func holds(_ colors: [UInt8], needsTransparent: Bool) -> Bool {
    guard chosen == nil, !table.isEmpty, !needsTransparent || transparent != nil else { return false }
    let own = Set(Self.packed(opaque))
    return Self.packed(colors[...]).allSatisfy(own.contains)
  }

  private static func packed(_ colors: ArraySlice<UInt8>) -> [UInt32] {
    stride(from: colors.startIndex, to: colors.endIndex, by: 3).map {
      UInt32(colors[$0]) << 16 | UInt32(colors[$0 + 1]) << 8 | UInt32(colors[$0 + 2])
    }
  }
}
