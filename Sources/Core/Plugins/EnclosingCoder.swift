/// A coder that does the work of another one in another place or in another way.
///
/// It adopts each protocol of coders for which it can stand in, and is taken for such a coder only if the other one is.
package protocol EnclosingCoder: ImageCoder {
  /// The coder that works in this process.
  var enclosed: any ImageCoder { get }
}

extension ImageCoder {
  /// The coder that works in this process: the one that this coder encloses, or else itself.
  package var inThisProcess: any ImageCoder { (self as? any EnclosingCoder)?.enclosed ?? self }

  /// This coder as one that can do more, such as `(any EncodingCoder).self`; nil if it cannot.
  ///
  /// A coder that encloses another one can do only what both can.
  package func capability<Capability>(_ type: Capability.Type) -> Capability? {
    if let enclosing = self as? any EnclosingCoder, enclosing.enclosed.capability(type) == nil { return nil }
    return self as? Capability
  }
}
