import EaselCore

/// The sizes and places of a picture in its widget; it knows no GTK.
///
/// Sizes are in the units of the toolkit, of which each has as many pixels as the screen's scale factor says.
struct PictureGeometry: Equatable {
  /// A rectangle in the widget.
  struct Rect: Equatable {
    var x, y, width, height: Double
  }

  /// The size that the picture has by itself; zero without a picture.
  var naturalWidth = 0.0
  var naturalHeight = 0.0

  init() {}

  /// The size of the whole picture, also if fewer pixels of it were decoded.
  init(of image: Image) {
    let size = Self.wholeSize(of: image)
    let scale = image.scaleFactor > 0 ? image.scaleFactor : 1
    naturalWidth = Double(size.width) / scale
    naturalHeight = Double(size.height) / scale
  }

  /// The pixels of the whole picture, in upright position.
  static func wholeSize(of image: Image) -> PixelSize {
    // The result of transformers has a size of its own.
    guard image.traits.contains(.thumbnail), !image.traits.contains(.transformed) else { return image.size }
    // Pixels that were turned no longer say so, but the ratio of their sides does.
    let (stored, size) = (image.metadata.storedSize, image.size)
    let isTurned = (stored.width > stored.height) != (size.width > size.height) && stored.width != stored.height
    return isTurned && size.width != size.height ? stored.transposed : stored
  }

  private var isEmpty: Bool { naturalWidth <= 0 || naturalHeight <= 0 }

  /// The natural length of one side, for a length of the other one that is known, or negative.
  ///
  /// It is the same for all content fits, as that of GtkPicture.
  func length(isVertical: Bool, forSize other: Int) -> Int {
    guard !isEmpty else { return 0 }
    let (own, cross) = isVertical ? (naturalHeight, naturalWidth) : (naturalWidth, naturalHeight)
    guard other >= 0 else { return Int(own.rounded(.up)) }
    return Int(min(Double(other) * own / cross, 1e6).rounded(.up))
  }

  /// The place of the picture in a widget of this size.
  func place(width: Int, height: Int, fit: RemotePicture.ContentFit) -> Rect {
    let room = (width: Double(width), height: Double(height))
    guard !isEmpty, fit != .fill else { return Rect(x: 0, y: 0, width: room.width, height: room.height) }
    let scales = (room.width / naturalWidth, room.height / naturalHeight)
    var scale = fit == .cover ? max(scales.0, scales.1) : min(scales.0, scales.1)
    if fit == .scaleDown { scale = min(scale, 1) }
    // Whole pixels, so that a picture of the right size is not blurred, and need not be resampled each time it is drawn.
    let (ownWidth, ownHeight) = (
      max(1, (naturalWidth * scale).rounded()), max(1, (naturalHeight * scale).rounded())
    )
    return Rect(
      x: ((room.width - ownWidth) / 2).rounded(.down), y: ((room.height - ownHeight) / 2).rounded(.down),
      width: ownWidth, height: ownHeight)
  }

  /// The box for decoding in which a picture has enough pixels for a widget of this size; nil without room.
  ///
  /// Its sides grow in steps, so that views of about the same size share a picture, and a window that is being resized does
  /// not decode at each pixel.
  static func decodingBox(width: Int, height: Int, scale: Int, fit: RemotePicture.ContentFit) -> PixelSize? {
    guard width > 0, height > 0 else { return nil }
    let pixels = (width * max(1, scale), height * max(1, scale))
    switch fit {
    case .contain, .scaleDown: return PixelSize(width: step(pixels.0), height: step(pixels.1))
    case .fill, .cover:
      // What is decoded fits into the box, and must cover the widget: enough for sides of one to two.
      let side = step(max(pixels.0, pixels.1) * 2)
      return PixelSize(width: side, height: side)
    }
  }

  /// The next of 64, 96, 128, 192, 256 and so on.
  private static func step(_ length: Int) -> Int {
    var step = 64
    while step < length && step < 1 << 20 {
      if step + step / 2 >= length { return step + step / 2 }
      step *= 2
    }
    return step
  }
}
