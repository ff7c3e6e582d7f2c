import EaselTestSupport

/// Samples of the toy format for contracts: turned, moving and opaque.
enum ToySamples {
  static func all() throws -> [ImageSample] {
    try [
      ToyImage(width: 5, height: 3, orientation: .right), ToyImage(width: 4, height: 3, frameCount: 3),
      ToyImage(width: 6, height: 4, hasAlpha: false),
    ].map { ImageSample("\($0.size)", bytes: $0.bytes, pixels: try $0.expectedBitmap()) }
  }
}
