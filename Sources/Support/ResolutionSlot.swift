import Synchronization

/// Keeps what a manager derives from a request, so that it is derived once.
///
/// Copies of the request share it until one of them is changed. Only the manager fills slots, and always with objects
/// of one class.
///
/// `AtomicLazyReference` would do the same, but requests its metadata at every load, which takes longer than a lookup
/// in a memory cache.
///
/// It is public, although this module is no product: the compiler puts no `package` code into another module, and
/// each memory hit asks a slot.
///
/// Unchecked, because the compiler cannot see that only `Sendable` objects are put in.
public final class ResolutionSlot: @unchecked Sendable {
  // Filled at most once and never emptied, so the object lives as long as the slot.
  @usableFromInline let content = Atomic<Unmanaged<AnyObject>?>(nil)
  /// The latest of the resolutions for encoded bytes.
  @usableFromInline let latest = Atomic<Unmanaged<AnyObject>?>(nil)

  /// Begins without a resolution.
  public init() {}

  deinit {
    content.load(ordering: .acquiring)?.release()
    latest.load(ordering: .acquiring)?.release()
  }

  /// The object of the slot; nil until it is filled.
  @inlinable
  public func load<Object: AnyObject>(as type: Object.Type) -> Object? {
    content.load(ordering: .acquiring).map { unsafeDowncast($0.takeUnretainedValue(), to: type) }
  }

  /// Keeps `fresh` if the slot is empty, and returns the kept object.
  public func fill<Object: AnyObject & Sendable>(_ fresh: Object) -> Object {
    let mine = Unmanaged<AnyObject>.passRetained(fresh)
    let (isMine, found) = content.compareExchange(expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    guard !isMine, let found else { return fresh }
    mine.release()
    return unsafeDowncast(found.takeUnretainedValue(), to: Object.self)
  }

  /// The latest link of the slot's chain; nil while it has none.
  ///
  /// Nothing is ever removed from the chain, so the link lives as long as the slot.
  @inlinable
  public func withLatest<Link: AnyObject, Result>(as type: Link.Type, _ body: (Link) -> Result?) -> Result? {
    latest.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { body(unsafeDowncast($0, to: type)) }
  }

  /// Adds the link that `next` makes of the latest one, unless it returns nil.
  ///
  /// `next` may be called again, if others add links meanwhile. A link keeps the one before it alive.
  public func add<Link: AnyObject & Sendable>(_ next: (Link?) -> Link?) {
    var known = latest.load(ordering: .acquiring)
    while true {
      guard let link = next(known.map { unsafeDowncast($0.takeUnretainedValue(), to: Link.self) }) else { return }
      let mine = Unmanaged<AnyObject>.passRetained(link)
      let (isMine, found) = latest.compareExchange(expected: known, desired: mine, ordering: .acquiringAndReleasing)
      guard !isMine else {
        // The new one keeps the earlier one alive from now on.
        known?.release()
        return
      }
      mine.release()
      known = found
    }
  }
}
