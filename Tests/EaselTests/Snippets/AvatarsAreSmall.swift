import Easel
import FoundationEssentials

// Documentation: writing an options processor.
struct AvatarsAreSmall: OptionsProcessor {
  func process(_ url: URL, options: inout ImageOptions, context: inout ImageContext) {
    guard url.path.hasPrefix("/avatars/") else { return }
    options.insert(.retryFailed)
    // A size that the caller set stays.
    context[.thumbnailSize] = context[.thumbnailSize] ?? PixelSize(width: 96, height: 96)
  }
}
