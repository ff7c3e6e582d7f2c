/// A body under way.
struct Arrival: Sendable {
  /// What has come so far.
  let received: ReceivedBytes
  /// Which try it belongs to: what was seen of an earlier one is void.
  let epoch: Int
  /// What the source said before the body.
  let head: ResponseHead?
}
