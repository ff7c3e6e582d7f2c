/// A coder that passes the work of another coder to another place, or does it in another way.
///
/// It adopts all protocols of coders that it can pass on. It counts as such a coder only if the enclosed coder is one.
package protocol EnclosingCoder: ImageCoder {
  /// The coder whose work this one does.
  var enclosed: any ImageCoder { get }
}

extension ImageCoder {
  /// The coder that works in this process: the enclosed coder if there is one, else this coder.
  package var inThisProcess: any ImageCoder { (self as? any EnclosingCoder)?.enclosed ?? self }

  /// Casts the coder to a protocol such as `(any EncodingCoder).self`; returns nil if it does not have that capability.
  ///
  /// A coder that encloses another one has only capabilities that both have.
  package func capability<Capability>(_ type: Capability.Type) -> Capability? {
    if let enclosing = self as? any EnclosingCoder, enclosing.enclosed.capability(type) == nil { return nil }
    return self as? Capability
  }
}
