import Synchronization

/// Keeps the resolved form of a request, so that a manager resolves the request once.
///
/// Copies of the request share the slot until one of them is changed. Only the manager fills slots, and always with
/// objects of one class.
///
/// `AtomicLazyReference` could do the same, but asks for its metadata at every load, which takes longer than a lookup
/// in a memory cache.
///
/// It is public, although this module is no product: the compiler puts no `package` code in line in other modules, and
/// each memory hit reads a slot.
///
/// Unchecked, because the compiler cannot see that the slot contains only `Sendable` objects.
public final class ResolutionSlot: @unchecked Sendable {
  // The slot is filled at most once and never emptied, so the object lives as long as the slot.
  @usableFromInline let content = Atomic<Unmanaged<AnyObject>?>(nil)
  /// The latest resolution for encoded bytes.
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

  /// Keeps `fresh` if the slot is empty, and returns the object that is kept.
  public func fill<Object: AnyObject & Sendable>(_ fresh: Object) -> Object {
    let mine = Unmanaged<AnyObject>.passRetained(fresh)
    let (isMine, found) = content.compareExchange(expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    guard !isMine, let found else { return fresh }
    mine.release()
    return unsafeDowncast(found.takeUnretainedValue(), to: Object.self)
  }

  /// The latest link of the slot's chain; nil while the chain is empty.
  ///
  /// No link is ever removed from the chain, so this link lives as long as the slot.
  @inlinable
  public func withLatest<Link: AnyObject, Result>(as type: Link.Type, _ body: (Link) -> Result?) -> Result? {
    latest.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { body(unsafeDowncast($0, to: type)) }
  }

  /// Adds the link that `next` makes from the latest one; adds nothing if `next` returns nil.
  ///
  /// `next` may be called again, if another thread adds a link in between. A link keeps the one before it alive.
  public func add<Link: AnyObject & Sendable>(_ next: (Link?) -> Link?) {
    var known = latest.load(ordering: .acquiring)
    while true {
      guard let link = next(known.map { unsafeDowncast($0.takeUnretainedValue(), to: Link.self) }) else { return }
      let mine = Unmanaged<AnyObject>.passRetained(link)
      let (isMine, found) = latest.compareExchange(expected: known, desired: mine, ordering: .acquiringAndReleasing)
      guard !isMine else {
        // The new link now keeps the earlier one alive.
        known?.release()
        return
      }
      mine.release()
      known = found
    }
  }
}
