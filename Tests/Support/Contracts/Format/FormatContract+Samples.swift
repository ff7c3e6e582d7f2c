import EaselCore
import EaselPixels
import EaselTestPixels

extension FormatContract {
  /// Files that the coder writes, as samples for the contracts of every coder.
  ///
  /// They are still and moving, of every way of writing them, with and without alpha and colours, upright and turned.
  ///
  /// ```swift
  /// let samples = try FormatContract(PNGCoder(), FormatDescription("PNG", .png)).samples(signature: [0..<8])
  /// print(await ImageCoderContract(PNGCoder(), samples: samples).check())
  /// ```
  public func samples(signature: [Range<Int>] = [0..<3]) throws -> [ImageSample] {
    var samples: [ImageSample] = []
    func add(
      _ name: String, _ image: Image, _ options: EncodeOptions = EncodeOptions(), _ known: Bitmap? = nil
    ) throws {
      samples.append(ImageSample(name, bytes: try encode(image, options), pixels: known, signature: signature))
    }
    let noise = try Bitmap.noise(13, 9, pixels)
    try add("noise", Image(noise), exact, isExact ? noise : nil)
    for (way, options) in format.damagedWays.enumerated() {
      try add("soft, in way \(way)", Image(.waves(40, 30)), options)
      if format.keeps.contains(.alpha) { try add("with alpha, in way \(way)", Image(.softAlpha(21, 35)), options) }
    }
    try add("grey", Image(.noise(17, 12, .gray8)))
    try add("one pixel", Image(Bitmap(1, 1, .white)))
    if format.keeps.contains(.orientation) {
      for orientation in [ImageMetadata.Orientation.upMirrored, .right] {
        let metadata = ImageMetadata(storedSize: noise.size, orientation: orientation)
        try add("\(orientation)", Image(noise, metadata: metadata), exact)
      }
    }
    if format.motion != nil {
      try add("moving", moving(.opaqueRGBA8).image)
      try add("moving without loss", moving(plays: 3).image, exact, isExact ? moving().bitmaps[0] : nil)
    }
    return samples
  }
}
