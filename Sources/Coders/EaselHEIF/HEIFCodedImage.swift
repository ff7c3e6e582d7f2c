/// A coded picture with all information that its pixels depend on.
struct HEIFCodedImage {
  /// The alpha of a picture, which the file stores as a separate picture.
  struct Alpha {
    let layout: HEIFLayout
    /// True if the colours were multiplied by the alpha.
    let isPremultiplied: Bool
    let isFullRange: Bool
  }

  let layout: HEIFLayout
  let geometry: HEIFGeometry
  let alpha: Alpha?
  let colors: HEIFColors
}
