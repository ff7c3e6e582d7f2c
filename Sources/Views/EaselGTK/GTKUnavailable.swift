/// The error of a program that finds no GTK or no display.
public struct GTKUnavailable: Error, Hashable, CustomStringConvertible {
  let reason: String

  /// A sentence that says which of them is missing, and what to install.
  public var description: String { reason }
}
