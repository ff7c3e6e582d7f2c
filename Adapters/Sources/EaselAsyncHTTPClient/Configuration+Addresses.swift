import AsyncHTTPClient
import EaselCore
import EaselCurl
import NIOCore

extension HTTPClient.Configuration {
  /// Makes clients use only connections to addresses that a policy allows.
  ///
  /// The policy is asked about the address to which a connection was made. So a host name, a redirect, or a name whose
  /// address changes cannot bypass it. But the client has no place to ask earlier: a connection to a forbidden address is
  /// opened, with TLS if the URL says so, and closed before any request is sent. `CurlLoader` asks before. With a proxy
  /// the policy sees the address of the proxy.
  ///
  /// A connection that failed is not tried again by the client, but by the manager's rules.
  ///
  /// ```swift
  /// var network = HTTPClient.Configuration(redirectConfiguration: .disallow)
  /// network.allowConnections(only: .denyPrivate)
  /// ```
  public mutating func allowConnections(only policy: AddressPolicy) {
    // The client would try again until its time to connect has passed.
    connectionPool.retryConnectionEstablishment = false
    http1_1ConnectionDebugInitializer = Self.check(policy, before: http1_1ConnectionDebugInitializer)
    http2ConnectionDebugInitializer = Self.check(policy, before: http2ConnectionDebugInitializer)
  }

  private static func check(
    _ policy: AddressPolicy, before next: (@Sendable (any Channel) -> EventLoopFuture<Void>)?
  ) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
    { channel in
      let address = channel.remoteAddress
      if let text = address?.ipAddress, let known = AddressPolicy.IPAddress(text),
        policy.allows(known, port: address?.port ?? 0)
      {
        return next?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
      }
      let error = ImageError(
        .forbiddenAddress, "The address policy forbids connections to \(address?.ipAddress ?? "sockets of files").")
      return channel.close().flatMapThrowing { _ in throw error }
    }
  }
}
