/// A plug-in made of a closure.
///
/// The protocols of plug-ins offer `.closure { ... }` and other static functions, such as `.headers([:])`, that create
/// one. The type of the closure decides which protocol the plug-in adopts.
public final class ClosurePlugin<Call: Sendable>: Sendable {
  package let identity: CacheIdentity
  package let call: Call

  package init(_ identity: CacheIdentity, _ call: Call) {
    self.identity = identity
    self.call = call
  }
}
