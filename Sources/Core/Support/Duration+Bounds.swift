extension Duration {
  /// A hundred years, which stand for whatever is longer, so that sums and the system's clocks do not overflow.
  package static let longest = Duration.seconds(100 * 365 * 86_400)

  /// The nearest time from none to a hundred years.
  package var bounded: Duration { Swift.min(Swift.max(self, .zero), .longest) }
}
