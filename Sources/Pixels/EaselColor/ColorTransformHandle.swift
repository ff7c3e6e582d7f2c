import CEaselColor
import EaselCore
import FoundationEssentials

/// Owns a transform of the C target.
///
/// Unchecked, because the transform never changes after it is created: it does not cache the last pixel.
final class ColorTransformHandle: @unchecked Sendable {
  let largestChange: UInt32
  private let transform: OpaquePointer

  init(_ recipe: ColorTransformRecipe) throws(ImageError) {
    var transform: OpaquePointer?
    var message = [CChar](repeating: 0, count: Int(EASEL_COLOR_MESSAGE_SIZE))
    let status = Self.withEnd(recipe.source, recipe.sourceLayout) { source in
      Self.withEnd(recipe.destination, recipe.destinationLayout) { destination in
        var source = source
        var destination = destination
        return easel_color_transform_create(&source, &destination, &message, &transform)
      }
    }
    guard status == EASEL_COLOR_OK, let transform else {
      throw Self.error(
        status, recipe,
        detail: String(decoding: message.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self))
    }
    self.transform = transform
    largestChange = easel_color_transform_largest_change(transform)
  }

  deinit { easel_color_transform_destroy(transform) }

  func convert(_ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, pixelCount: Int) {
    easel_color_transform_apply(transform, source, destination, pixelCount)
  }

  private static func withEnd(
    _ profile: ColorTransform.Profile, _ layout: ColorTransform.Layout, _ body: (easel_color_end) -> easel_color_status
  ) -> easel_color_status {
    switch profile {
    case .sRGB:
      body(easel_color_end(kind: EASEL_COLOR_SRGB, bytes: nil, count: 0, layout: layout.foreign))
    case .icc(let data):
      data.withUnsafeBytes { bytes in
        body(
          easel_color_end(
            kind: EASEL_COLOR_EMBEDDED, bytes: bytes.baseAddress, count: bytes.count, layout: layout.foreign))
      }
    }
  }

  private static func error(
    _ status: easel_color_status, _ recipe: ColorTransformRecipe, detail: String
  ) -> ImageError {
    let because = detail.isEmpty ? "" : " Little CMS says: \(detail)."
    let remedy = "Decode without colour conversion to keep the pixels as they are."
    switch status {
    case EASEL_COLOR_BAD_PROFILE:
      return ImageError(.badImageData, "ICC: a colour profile cannot be read.\(because) \(remedy)")
    case EASEL_COLOR_WRONG_SPACE:
      return ImageError(
        .badImageData,
        "ICC: a colour profile does not fit its pixels: it does not convert \(recipe.sourceLayout.spaceName) to "
          + "\(recipe.destinationLayout.spaceName).\(because) \(remedy)")
    default:
      return ImageError(.badImageData, "ICC: no transform can be made from a colour profile.\(because) \(remedy)")
    }
  }
}
