/// The inputs of a colour transform, which are also its cache key.
struct ColorTransformRecipe: Hashable, Sendable {
  var source: ColorTransform.Profile
  var sourceLayout: ColorTransform.Layout
  var destination: ColorTransform.Profile
  var destinationLayout: ColorTransform.Layout

  /// The approximate bytes of the recipe and its transform; most of them are tables of up to 33 grid points.
  var cost: Int { source.byteCount + destination.byteCount + 256 << 10 }
}
