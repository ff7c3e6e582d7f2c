/// A transformer that leaves pictures of some sizes as they are.
///
/// Bytes that already have the wanted format can then go out untouched.
package protocol SizeDependentTransformer: Transformer {
  /// True when a picture of this size stays as it is, in every pixel.
  func leavesUnchanged(_ size: PixelSize) -> Bool
}
