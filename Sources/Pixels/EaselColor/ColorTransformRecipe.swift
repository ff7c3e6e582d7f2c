/// What a colour transform is made of, and found by.
struct ColorTransformRecipe: Hashable, Sendable {
  var source: ColorProfile
  var sourceLayout: ColorLayout
  var destination: ColorProfile
  var destinationLayout: ColorLayout

  /// What keeping the recipe and its transform costs, about: tables of up to 33 grid points are what makes it large.
  var cost: Int { source.byteCount + destination.byteCount + 256 << 10 }
}
