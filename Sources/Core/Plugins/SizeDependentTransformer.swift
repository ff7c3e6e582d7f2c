/// A transformer that does not change pictures of some sizes.
///
/// If such a picture already has the wanted format, its bytes can be sent unchanged.
package protocol SizeDependentTransformer: Transformer {
  /// True when the transformer changes no pixel of a picture of this size.
  func leavesUnchanged(_ size: PixelSize) -> Bool
}
