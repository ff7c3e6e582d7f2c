import CEaselListener
import EaselCore
import EaselService
import EaselSupport
import Glibc

/// Brings answers and orders from other threads to the thread of a loop.
final class LoopInbox: Sendable {
  /// The orders to a loop, each stronger than those before.
  enum Order: Int, Comparable {
    case serve, drain, stop

    static func < (left: Order, right: Order) -> Bool { left.rawValue < right.rawValue }
  }

  /// The response of the handler to the request of a connection.
  struct Delivery: Sendable {
    let key: ConnectionKey
    let response: ServiceResponse
  }

  private struct State {
    var deliveries: [Delivery] = []
    var order = Order.serve
    /// The limits that the loop has not taken yet; nil for none.
    var settings: ListenerSettings?
    var isOpen = true
  }

  let waker: Int32
  private let state = Locked(State())

  /// Takes over a waker.
  init(waker: Int32) { self.waker = waker }

  /// Delivers a response; after the end of the loop it is dropped.
  func post(_ delivery: Delivery) {
    state.withLock { state in
      guard state.isOpen else { return }
      state.deliveries.append(delivery)
      // Under the lock, because another file may have the number once the waker is closed.
      if state.deliveries.count == 1 { easel_waker_signal(waker) }
    }
  }

  /// Gives an order, unless a stronger one was given.
  func post(_ order: Order) {
    state.withLock { state in
      state.order = max(state.order, order)
      if state.isOpen { easel_waker_signal(waker) }
    }
  }

  /// Hands other limits to the loop.
  func post(_ settings: ListenerSettings) {
    state.withLock { state in
      state.settings = settings
      if state.isOpen { easel_waker_signal(waker) }
    }
  }

  func take() -> (deliveries: [Delivery], order: Order, settings: ListenerSettings?) {
    state.withLock { state in
      defer { (state.deliveries, state.settings) = ([], nil) }
      return (state.deliveries, state.order, state.settings)
    }
  }

  /// Drops all deliveries and closes the waker.
  func close() {
    let dropped = state.withLock { state in
      defer { state.deliveries = [] }
      state.isOpen = false
      _ = Glibc.close(waker)
      return state.deliveries
    }
    withExtendedLifetime(dropped) {}
  }
}
