/// A coded picture with everything that its pixels depend on.
struct HEIFCodedImage {
  /// The alpha of a picture, which is a picture of its own.
  struct Alpha {
    let layout: HEIFLayout
    /// True if the colours were multiplied by it.
    let isPremultiplied: Bool
    let isFullRange: Bool
  }

  let layout: HEIFLayout
  let geometry: HEIFGeometry
  let alpha: Alpha?
  let colors: HEIFColors
}
