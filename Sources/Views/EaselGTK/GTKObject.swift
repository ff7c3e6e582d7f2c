internal import CEaselGTK

/// A reference to an object of GTK, which may end on any thread.
final class GTKObject: Sendable {
  // A number, because pointers do not pass between threads.
  private let address: UInt

  /// Takes over a reference that the caller has.
  init(_ object: OpaquePointer) { address = UInt(bitPattern: object) }

  var pointer: OpaquePointer { OpaquePointer(bitPattern: address)! }

  deinit { easel_gtk_release(UnsafeMutableRawPointer(bitPattern: address)) }
}
