extension Duration {
  /// A hundred years, the maximum of ``bounded``, so that sums and the system's clocks do not overflow.
  package static let longest = Duration.seconds(100 * 365 * 86_400)

  /// The duration, limited to the range from zero to a hundred years.
  package var bounded: Duration { Swift.min(Swift.max(self, .zero), .longest) }
}
