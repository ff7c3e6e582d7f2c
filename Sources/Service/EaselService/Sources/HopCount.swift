import EaselCore

/// The number of servers of this kind that a request has passed, so that a server that is its own source notices it.
enum HopCount {
  static let field = "X-Easel-Hop"
  private static let most = 2

  /// The fields to send to a source for this request.
  static func fields(for request: ServiceRequest) throws(ServiceError) -> HTTPHeaders {
    let hops = request.headers[field].map { Int($0) ?? most } ?? 0
    guard (0..<most).contains(hops) else {
      throw ServiceError(508, "The source of the picture leads back to this server.")
    }
    return [field: "\(hops + 1)"]
  }
}
