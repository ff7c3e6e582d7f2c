import EaselCore
import EaselSupport

/// A value that is made when needed: once for all callers at that time, and again after it was dropped.
package final class OnDemandValue<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var making: Task<Value, any Error>?
    var failure: (error: any Error, until: Duration)?
    var isEnded = false
  }

  private enum Next {
    case value(Value)
    case making(Task<Value, any Error>)
    case failure(any Error)
  }

  /// The time after a failure in which no caller tries again.
  private static var pause: Duration { .milliseconds(100) }

  private let isGood: @Sendable (Value) -> Bool
  private let dispose: @Sendable (Value) -> Void
  private let make: @Sendable () async throws -> Value
  private let state = Locked(State())

  package init(
    isGood: @escaping @Sendable (Value) -> Bool = { _ in true }, dispose: @escaping @Sendable (Value) -> Void,
    make: @escaping @Sendable () async throws -> Value
  ) {
    self.isGood = isGood
    self.dispose = dispose
    self.make = make
  }

  deinit { end() }

  /// The value, if it exists.
  package var current: Value? { state.withLock { $0.value } }

  /// Returns the value, and makes it first if there is none.
  package func value() async throws -> Value {
    let making: Task<Value, any Error>
    switch state.withLock({ next(&$0) }) {
    case .value(let value): return value
    case .failure(let error): throw error
    case .making(let task): making = task
    }
    let result = await making.result
    state.withLock { state in
      guard state.making == making else { return }
      state.making = nil
      switch result {
      case .success(let value): state.value = value
      case .failure(let error): state.failure = (error, SystemClock().uptime + Self.pause)
      }
    }
    return try result.get()
  }

  private func next(_ state: inout State) -> Next {
    if let value = state.value, isGood(value) { return .value(value) }
    if let making = state.making { return .making(making) }
    if let failure = state.failure, failure.until > SystemClock().uptime { return .failure(failure.error) }
    if state.isEnded { return .failure(WireError(.lost, "The connection has ended.")) }
    let making = Task.detached { [make] in try await make() }
    state.making = making
    return .making(making)
  }

  /// Disposes of the value if `isMeant` returns true for it, so that the next caller makes another one.
  package func drop(_ isMeant: (Value) -> Bool) {
    let value = state.withLock { state in
      guard let value = state.value, isMeant(value) else { return Value?.none }
      state.value = nil
      return value
    }
    if let value { dispose(value) }
  }

  /// Disposes of the value, and makes no other.
  package func end() {
    let (value, making) = state.withLock { state in
      state.isEnded = true
      return (state.value.take(), state.making.take())
    }
    if let value { dispose(value) }
    // Nobody waits for the value, so it is disposed of as soon as it is made.
    if let making { Task { [dispose] in if let value = try? await making.value { dispose(value) } } }
  }
}

/// One connection to an engine.
package typealias WireSession<Parser: WireParser> = OnDemandValue<WireConnection<Parser>>

extension OnDemandValue {
  /// Creates a connection that is made again after it was lost.
  package convenience init<Parser: WireParser>(
    connecting connect: @escaping @Sendable () async throws -> WireConnection<Parser>
  ) where Value == WireConnection<Parser> {
    self.init(
      isGood: { $0.isOpen }, dispose: { $0.end(WireError(.lost, "The connection is not needed any more.")) },
      make: connect)
  }
}
