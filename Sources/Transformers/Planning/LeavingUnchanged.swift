import EaselCore
import EaselPixels

// Bytes that already have the wanted format and size go out untouched, so these transformers tell for which sizes they
// change nothing.

extension Resize: SizeDependentTransformer {
  func leavesUnchanged(_ size: PixelSize) -> Bool {
    ResizeStep(crop: nil, resize: self, fullSize: nil).leavesUnchanged(size)
  }
}

extension Crop: SizeDependentTransformer {
  func leavesUnchanged(_ size: PixelSize) -> Bool {
    (try? checkParameters()) != nil && (try? part(of: size)) == PixelRect(covering: size)
  }
}

extension ResizeStep: SizeDependentTransformer {
  func leavesUnchanged(_ size: PixelSize) -> Bool {
    guard (try? checkParameters()) != nil, crop?.leavesUnchanged(size) ?? true else { return false }
    let layout = ResizeLayout(resize, of: size)
    return layout.canvas == size && !layout.hasBars && layout.source == RowResampler.Box(PixelRect(covering: size))
  }
}

extension Extend: SizeDependentTransformer {
  func leavesUnchanged(_ size: PixelSize) -> Bool {
    (try? checkParameters()) != nil && canvas(for: size) == size
  }
}
