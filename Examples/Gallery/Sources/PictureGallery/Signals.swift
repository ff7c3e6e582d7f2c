import CGTK
import EaselGTK

/// A closure as the data of a signal, which ends with the connection.
private final class Handler<Body> {
  let body: Body
  init(_ body: Body) { self.body = body }

  static func of(_ data: UnsafeMutableRawPointer) -> Body {
    Unmanaged<Handler<Body>>.fromOpaque(data).takeUnretainedValue().body
  }
}

private func connect<Body>(_ object: Object, _ signal: String, _ body: Body, _ handler: GCallback) {
  // Swapped, so that the closure comes first, however many arguments the signal has.
  g_signal_connect_data(
    UnsafeMutableRawPointer(object), signal, handler, Unmanaged.passRetained(Handler(body)).toOpaque(),
    { data, _ in Unmanaged<AnyObject>.fromOpaque(data!).release() }, G_CONNECT_SWAPPED)
}

extension Object {
  package typealias Plain = @GTKActor () -> Void
  package typealias Numbered = @GTKActor (UInt32) -> Void
  package typealias WithObject = @GTKActor (Object) -> Void
  package typealias WithPlace = @GTKActor (Double, Double) -> Void
  package typealias WithClick = @GTKActor (Int32, Double, Double) -> Void
  package typealias WithKey = @GTKActor (UInt32, GdkModifierType) -> Bool
  package typealias WithScroll = @GTKActor (Double, Double) -> Bool

  /// Calls a closure at each signal, whatever arguments it has.
  @GTKActor package func on(_ signal: String, _ body: @escaping Plain) {
    let handler: @convention(c) (UnsafeMutableRawPointer) -> Void = { data in
      let body = Handler<Plain>.of(data)
      GTKActor.assumeIsolated { body() }
    }
    connect(self, signal, body, unsafeBitCast(handler, to: GCallback.self))
  }

  /// The same for signals that pass a number.
  @GTKActor package func onNumber(_ signal: String, _ body: @escaping Numbered) {
    let handler: @convention(c) (UnsafeMutableRawPointer, UInt32) -> Void = { data, number in
      let body = Handler<Numbered>.of(data)
      GTKActor.assumeIsolated { body(number) }
    }
    connect(self, signal, body, unsafeBitCast(handler, to: GCallback.self))
  }

  /// The same for signals that pass an object.
  @GTKActor package func onObject(_ signal: String, _ body: @escaping WithObject) {
    let handler: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void = { data, object in
      let body = Handler<WithObject>.of(data)
      let address = UInt(bitPattern: object)
      GTKActor.assumeIsolated { body(Object(bitPattern: address)!) }
    }
    connect(self, signal, body, unsafeBitCast(handler, to: GCallback.self))
  }

  /// The same for signals of gestures that pass a place, or a move.
  @GTKActor package func onPlace(_ signal: String, _ body: @escaping WithPlace) {
    let handler: @convention(c) (UnsafeMutableRawPointer, Double, Double) -> Void = { data, x, y in
      let body = Handler<WithPlace>.of(data)
      GTKActor.assumeIsolated { body(x, y) }
    }
    connect(self, signal, body, unsafeBitCast(handler, to: GCallback.self))
  }

  /// The same for clicks: their number and their place.
  @GTKActor package func onClick(_ signal: String, _ body: @escaping WithClick) {
    let handler: @convention(c) (UnsafeMutableRawPointer, Int32, Double, Double) -> Void = { data, count, x, y in
      let body = Handler<WithClick>.of(data)
      GTKActor.assumeIsolated { body(count, x, y) }
    }
    connect(self, signal, body, unsafeBitCast(handler, to: GCallback.self))
  }

  /// Calls a closure for each key that is pressed; true if it was for it.
  @GTKActor package func onKey(_ body: @escaping WithKey) {
    let handler: @convention(c) (UnsafeMutableRawPointer, UInt32, UInt32, GdkModifierType) -> gboolean = {
      data, key, _, modifiers in
      let body = Handler<WithKey>.of(data)
      return GTKActor.assumeIsolated { body(key, modifiers) } ? 1 : 0
    }
    connect(self, "key-pressed", body, unsafeBitCast(handler, to: GCallback.self))
  }

  /// Calls a closure for each turn of a wheel; true if it was for it.
  @GTKActor package func onScroll(_ body: @escaping WithScroll) {
    let handler: @convention(c) (UnsafeMutableRawPointer, Double, Double) -> gboolean = { data, x, y in
      let body = Handler<WithScroll>.of(data)
      return GTKActor.assumeIsolated { body(x, y) } ? 1 : 0
    }
    connect(self, "scroll", body, unsafeBitCast(handler, to: GCallback.self))
  }
}
