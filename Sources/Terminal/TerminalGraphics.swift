/// A way to show pixels in a terminal.
public enum TerminalGraphics: String, Hashable, Sendable, CaseIterable {
  /// Pictures in kitty's protocol, which other terminals understand too.
  case kitty
  /// Pictures in six-pixel bands, as invented for the VT340 terminal.
  case sixel
  /// Half blocks in true colour, with two pixels in each cell.
  case blocks
  /// Characters in five shades, for display without colour.
  case shades
}
