import Glibc

/// Stops plug-ins that call themselves through the manager while it resolves a request.
///
/// A filter or an options processor may ask a manager for a key. If the manager then asks the same plug-in, this would
/// repeat until the stack is full. All of these plug-ins are synchronous, so the calls are on one thread.
package enum CallDepth {
  /// The most requests that may be resolved inside each other; plug-ins need fewer.
  private static let most = 16
  /// A mark that the limit was reached.
  ///
  /// No request of the thread is then resolved, because parts would be missing.
  private static let isTooDeep = 1 << 16

  private static let slot: pthread_key_t = {
    var slot = pthread_key_t()
    let status = pthread_key_create(&slot, nil)
    precondition(status == 0, "There is no place for a number of the thread: \(status).")
    return slot
  }()

  /// Returns the result of `body`; nil when the requests that this thread is resolving would never end.
  package static func resolving<Result>(_ body: () -> Result) -> Result? {
    let before = Int(bitPattern: pthread_getspecific(slot))
    guard before & (isTooDeep - 1) < most else {
      set(before | isTooDeep)
      return nil
    }
    set(before + 1)
    let result = body()
    let after = Int(bitPattern: pthread_getspecific(slot))
    // The outermost request clears the mark.
    set(before == 0 ? 0 : after - 1)
    return after & isTooDeep == 0 ? result : nil
  }

  private static func set(_ number: Int) {
    // The call fails only without memory, and then the next one fails too.
    _ = pthread_setspecific(slot, UnsafeRawPointer(bitPattern: number))
  }
}
