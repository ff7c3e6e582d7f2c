import Glibc

/// Ends plug-ins that call themselves through the manager while it resolves a request.
///
/// A filter or an options processor may ask a manager for a key. If the manager asks the same plug-in for that, it would
/// go on until the stack ends. All of these plug-ins are synchronous, so they run on one thread.
package enum CallDepth {
  /// More requests than any plug-in needs to resolve one.
  private static let most = 16
  /// Marks that the most was reached, so that none of the requests is resolved with a part of the answer.
  private static let isTooDeep = 1 << 16

  private static let slot: pthread_key_t = {
    var slot = pthread_key_t()
    let status = pthread_key_create(&slot, nil)
    precondition(status == 0, "There is no place for a number of the thread: \(status).")
    return slot
  }()

  /// The result of `body`; nil when the requests that are being resolved on this thread would never end.
  package static func resolving<Result>(_ body: () -> Result) -> Result? {
    let before = Int(bitPattern: pthread_getspecific(slot))
    guard before & (isTooDeep - 1) < most else {
      set(before | isTooDeep)
      return nil
    }
    set(before + 1)
    let result = body()
    let after = Int(bitPattern: pthread_getspecific(slot))
    // The outermost request forgets what happened.
    set(before == 0 ? 0 : after - 1)
    return after & isTooDeep == 0 ? result : nil
  }

  private static func set(_ number: Int) {
    // Its only error is a lack of memory, with which the next call ends as well.
    _ = pthread_setspecific(slot, UnsafeRawPointer(bitPattern: number))
  }
}
