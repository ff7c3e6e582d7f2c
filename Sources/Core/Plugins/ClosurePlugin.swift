/// A plug-in made of a closure.
///
/// The protocols of plug-ins make them by `.closure { ... }` and by other static functions, such as `.headers([:])`. The
/// type of the closure decides which protocol the plug-in adopts.
public final class ClosurePlugin<Call: Sendable>: Sendable {
  package let identity: CacheIdentity
  package let call: Call

  package init(_ identity: CacheIdentity, _ call: Call) {
    self.identity = identity
    self.call = call
  }
}
