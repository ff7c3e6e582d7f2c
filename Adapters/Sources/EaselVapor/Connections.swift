import NIOCore
import Synchronization
import Vapor

/// The open connections of Vapor's server, by the addresses of their clients.
///
/// A request of Vapor does not say on which connection it came, and work must end when a client leaves.
final class Connections: Sendable {
  /// The place of an application's connections.
  struct Key: StorageKey {
    typealias Value = Connections
  }

  private let channels = Mutex<[SocketAddress: any Channel]>([:])

  /// The connection of a request; nil if it is not known, as for clients that come over a socket of the file system.
  static func channel(of request: Request) -> (any Channel)? {
    guard let address = request.remoteAddress else { return nil }
    return request.application.storage[Key.self]?.channels.withLock { $0[address] }
  }

  /// Learns of the connections that a server accepts from now on.
  func watch(_ server: HTTPServer) {
    guard let listening = ListeningChannel.of(server) else {
      server.configuration.logger.warning(
        "The connections of this version of Vapor are not known: work for a client that has left goes on.")
      return
    }
    listening.eventLoop.execute {
      try? listening.pipeline.syncOperations.addHandler(AcceptedHandler(connections: self), position: .first)
    }
  }

  fileprivate func add(_ channel: any Channel) {
    guard let address = channel.remoteAddress, address.port != nil else { return }
    channels.withLock { $0[address] = channel }
  }

  fileprivate func remove(_ channel: any Channel, _ address: SocketAddress?) {
    guard let address else { return }
    // The next connection may have the address already.
    channels.withLock { channels in
      if channels[address] === channel { channels[address] = nil }
    }
  }
}

/// Sees the connections that a server accepts.
private final class AcceptedHandler: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private let connections: Connections

  init(connections: Connections) { self.connections = connections }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // It has an address only once it is active.
    _ = unwrapInboundIn(data).pipeline.addHandler(ActiveHandler(connections: connections))
    context.fireChannelRead(data)
  }
}

/// Keeps a connection in the table while it is open.
private final class ActiveHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = NIOAny

  private let connections: Connections

  init(connections: Connections) { self.connections = connections }

  func channelActive(context: ChannelHandlerContext) {
    let (connections, channel, address) = (connections, context.channel, context.channel.remoteAddress)
    connections.add(channel)
    channel.closeFuture.whenComplete { _ in connections.remove(channel, address) }
    context.fireChannelActive()
  }
}
