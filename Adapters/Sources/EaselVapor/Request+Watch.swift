import EaselNIO
import Logging
import ServiceContextModule
import Vapor

extension Request {
  /// Runs work that ends when the client leaves, and that knows the trace and the logger of the request.
  func watched<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    // Vapor keeps both in the request, because tasks end where its futures begin.
    try await ServiceContext.withValue(serviceContext) {
      try await withLogger(logger) { _ in try await ClientWatch.run(on: Connections.channel(of: self), work) }
    }
  }
}
