/// A coder that does the work of another one in another place.
package protocol EnclosingCoder: ImageCoder {
  /// The coder that works in this process.
  var enclosed: any ImageCoder { get }
}
