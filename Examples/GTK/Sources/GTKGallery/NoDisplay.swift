/// There is no display to open a window on.
struct NoDisplay: Error, CustomStringConvertible {
  var description: String { "There is no display to open a window on." }
}
