import EaselColor
import EaselCore
import FoundationEssentials

extension ColorTransform {
  /// The conversion of inks in a layout to RGBA of 8 bits; nil without a usable profile.
  package static func fromInks(in layout: ColorTransform.Layout, profile: Data?) throws(ImageError) -> ColorTransform? {
    guard let profile else { return nil }
    do throws(ImageError) {
      return try ColorTransform(from: .icc(profile), layout: layout, layout: .rgba8)
    } catch {
      guard error.code == .badImageData else { throw error }
      return nil
    }
  }
}
