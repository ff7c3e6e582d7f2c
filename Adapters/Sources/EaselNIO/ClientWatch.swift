import NIOCore
import Synchronization

/// Ends work whose client has left.
public enum ClientWatch {
  /// The states of a connection whose other side sends nothing more: closed, waiting for our end, and last acknowledgement.
  private static let closedByPeer: Set<UInt8> = [7, 8, 9]

  /// Runs work in a task that is cancelled as soon as the client closes its side of the channel.
  ///
  /// The channel stays as it is, and can take the next request. Without a channel the work simply runs.
  public static func run<Value: Sendable>(
    on channel: (any Channel)?, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let channel else { return try await work() }
    let task = CancellableTask()
    let loop = channel.eventLoop
    let added = NIOLoopBoundBox.makeEmptyBox(valueType: LeavingHandler.self, eventLoop: loop)
    loop.execute {
      let handler = LeavingHandler { task.cancel() }
      do {
        try channel.pipeline.syncOperations.addHandler(handler, position: .first)
        added.value = handler
        // The client may have left before the handler could be told of it.
        (channel as? any SocketOptionProvider)?.getTCPInfo().whenSuccess { info in
          if closedByPeer.contains(info.tcpi_state) { task.cancel() }
        }
      } catch {
        // A channel that is closed takes no handlers.
        task.cancel()
      }
    }
    defer {
      loop.execute {
        if let handler = added.value { channel.pipeline.syncOperations.removeHandler(handler, promise: nil) }
      }
    }
    return try await task.run(work)
  }
}

/// A task that can be cancelled from outside, also before it begins, and that is cancelled with its caller.
///
/// It is a child of its caller, so that task-locals and graceful shutdown reach the work.
private final class CancellableTask: Sendable {
  private enum State {
    case waiting
    case running(AsyncStream<Void>.Continuation)
    case cancelled
  }

  private let state = Mutex(State.waiting)

  func cancel() {
    let ending = state.withLock { state -> AsyncStream<Void>.Continuation? in
      defer { state = .cancelled }
      if case .running(let ending) = state { return ending }
      return nil
    }
    ending?.finish()
  }

  func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let (left, ending) = AsyncStream<Void>.makeStream()
    let isCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .running(ending)
      return false
    }
    if isCancelled { throw CancellationError() }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        // The stream has no elements: it ends when the client leaves, or with this task.
        for await _ in left {}
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let value = first else { throw CancellationError() }
      return value
    }
  }
}

/// Tells when the other side of a channel closes or fails.
final class LeavingHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private let whenLeft: () -> Void

  init(whenLeft: @escaping () -> Void) { self.whenLeft = whenLeft }

  func channelInactive(context: ChannelHandlerContext) {
    whenLeft()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent { whenLeft() }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    whenLeft()
    context.fireErrorCaught(error)
  }
}
