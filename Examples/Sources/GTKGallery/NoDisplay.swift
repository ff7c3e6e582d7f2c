/// There is no display for the window.
struct NoDisplay: Error, CustomStringConvertible {
  var description: String { "There is no display to open a window on." }
}
