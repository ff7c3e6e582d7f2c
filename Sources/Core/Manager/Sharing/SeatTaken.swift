/// A seat of whatever kind that can be left.
protocol SeatTaken: AnyObject, Sendable {
  /// Answers with a cancellation, at once.
  func cancel()
}
