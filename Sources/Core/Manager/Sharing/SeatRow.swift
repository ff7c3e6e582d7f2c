/// The row of seats of a run, whatever it works on.
protocol SeatRow: AnyObject, Sendable {
  /// Takes out who was answered by something else than the run.
  func leave(_ index: Int)
}
