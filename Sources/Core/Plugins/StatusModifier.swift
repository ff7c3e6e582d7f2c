/// Reads some statuses as others, for servers that use them in a way of their own.
public struct StatusModifier: ResponseModifier {
  private let statuses: [Int: Int]

  init(_ statuses: [Int: Int]) {
    // An answer that nothing changed has no body, and is never another one.
    self.statuses = statuses.filter { $0.key != 304 && $0.value != 304 }
  }

  /// Names the statuses.
  public var cacheIdentity: String? {
    "statuses-" + statuses.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
  }

  /// Gives a status that is read as another the number of that one.
  public func modify(_ head: ResponseHead, for request: LoadRequest) -> ResponseHead? {
    var head = head
    head.status = head.status.map { statuses[$0] ?? $0 }
    return head
  }
}

extension ResponseModifier where Self == StatusModifier {
  /// Reads each status on the left as the one on the right; 304 always stays what it is.
  public static func readingStatuses(_ statuses: [Int: Int]) -> Self { StatusModifier(statuses) }
}
