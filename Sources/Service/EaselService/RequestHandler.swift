/// Something that answers requests: the picture service, its metrics, or a listener's test.
public protocol RequestHandler: Sendable {
  /// The answer if it is known without waiting; it is asked for on the thread of the listener.
  func immediateResponse(to request: ServiceRequest) -> ServiceResponse?

  /// The answer; a task that is cancelled because the client left may return anything.
  func response(to request: ServiceRequest) async -> ServiceResponse
}
