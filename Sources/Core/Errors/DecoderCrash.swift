/// The cause of an error: a decoder in a sandbox crashed, or broke the rules of the sandbox.
package struct DecoderCrash: Error, Hashable {
  /// The identifier of the coder.
  package let coder: String

  package init(of coder: String) { self.coder = coder }
}
