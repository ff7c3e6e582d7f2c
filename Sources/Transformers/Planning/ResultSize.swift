import EaselCore

// The cost of encoding a picture is estimated before it is decoded, so these transformers tell the size that they make.

extension Resize: SizingTransformer {
  func resultSize(of size: PixelSize) -> PixelSize { ResizeLayout(self, of: size).canvas }
}

extension Crop: SizingTransformer {
  func resultSize(of size: PixelSize) -> PixelSize { (try? part(of: size).size) ?? size }
}

extension ResizeStep: SizingTransformer {
  func resultSize(of size: PixelSize) -> PixelSize { resize.resultSize(of: crop?.resultSize(of: size) ?? size) }
}

extension Extend: SizingTransformer {
  func resultSize(of size: PixelSize) -> PixelSize { canvas(for: size) }
}

extension Pad: SizingTransformer {
  func resultSize(of size: PixelSize) -> PixelSize { canvas(for: size) }
}

extension Rotate: SizingTransformer {
  // At other angles the picture is a little larger, which an estimate may leave out.
  func resultSize(of size: PixelSize) -> PixelSize {
    fit && quarterTurns.map { !$0.isMultiple(of: 2) } ?? false ? size.transposed : size
  }
}
