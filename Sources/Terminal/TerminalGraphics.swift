/// A way to show pixels in a terminal.
public enum TerminalGraphics: String, Hashable, Sendable, CaseIterable {
  /// Pictures in the protocol of the terminal kitty, which others understand too.
  case kitty
  /// Pictures in the six-pixel bands of the terminal VT340.
  case sixel
  /// Two pixels in each cell, as the upper and the lower half of a block in true colour.
  case blocks
  /// Characters of five shades, for terminals and people who want no colour.
  case shades
}
