import EaselCore

extension ServiceRequest {
  /// True if the client says that all others are more urgent, by the lowest urgency of RFC 9218.
  ///
  /// A client can only put itself behind others, and not before them.
  var isBackground: Bool {
    guard let priority = headers["Priority"] else { return false }
    return priority.split(separator: ",").contains { $0.filter { $0 != " " } == "u=7" }
  }
}
