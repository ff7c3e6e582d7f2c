import EaselCore
import FoundationEssentials

extension ImageMetadata {
  /// The ICC profile that a file states, or else the code points.
  ///
  /// A profile takes precedence over code points, except in pictures of high range.
  public var storedColors: (profile: Data?, coding: ColorDescription.Coding?) {
    let profile = iccProfile.flatMap { $0.isEmpty ? nil : $0 }
    if let coding = color?.coding, coding.isHighRange { return (nil, coding) }
    return profile == nil ? (nil, color?.coding) : (profile, nil)
  }
}
