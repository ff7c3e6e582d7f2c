/// Reads what a URL asks for: checks its signature and its options.
package protocol OrderReader: Sendable {
  /// The order of a path and query as they were sent; `now` is in seconds since 1970.
  func order(at target: Substring, now: Int) throws(ServiceError) -> ImageOrder
}
