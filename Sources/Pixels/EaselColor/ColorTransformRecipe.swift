/// The inputs of a colour transform, which are also its cache key.
struct ColorTransformRecipe: Hashable, Sendable {
  var source: ColorProfile
  var sourceLayout: ColorLayout
  var destination: ColorProfile
  var destinationLayout: ColorLayout

  /// The approximate bytes of the recipe and its transform, mostly tables of up to 33 grid points.
  var cost: Int { source.byteCount + destination.byteCount + 256 << 10 }
}
