import EaselCore
import EaselPixels
import FoundationEssentials

extension Image {
  /// Scores how much a copy looks like this picture.
  ///
  /// The score is 100 if no pixel differs, and less the more differences an eye sees. It is that of
  /// ``EaselCore/Bitmap/visualScore(of:work:)``, after both pictures were converted to sRGB from their profiles or code
  /// points. For moving pictures, the first frames are compared.
  ///
  /// ```swift
  /// let copy = Image(try bitmap.blurred(radius: 1))
  /// print(try image.visualScore(of: copy))
  /// ```
  public func visualScore(of copy: Image, work: WorkContext = WorkContext()) throws(ImageError) -> Double {
    try bitmapInSRGB(work: work).visualScore(of: copy.bitmapInSRGB(work: work), work: work)
  }

  private func bitmapInSRGB(work: WorkContext) throws(ImageError) -> Bitmap {
    let profile = metadata.iccProfile.flatMap { $0.isEmpty ? nil : $0 }
    if let color = metadata.color, profile == nil || color.coding.isHighRange {
      return try bitmap.converted(from: color, work: work)
    }
    guard let profile else { return bitmap }
    // Pixels with three colours may come with a grey profile, and grey pixels with a colour profile. If the profile
    // cannot be used, the colours stay as they are.
    if let converted = try bitmap.converted(ifPossibleFrom: profile, work: work) { return converted }
    if let converted = try bitmap.convertedBesideItsLayout(from: profile, work: work) { return converted }
    return bitmap
  }
}

extension Bitmap {
  fileprivate func converted(ifPossibleFrom profile: Data, work: WorkContext) throws(ImageError) -> Bitmap? {
    do throws(ImageError) {
      return try converted(from: .icc(profile), work: work)
    } catch {
      guard error.code == .badImageData else { throw error }
      return nil
    }
  }

  fileprivate func convertedBesideItsLayout(from profile: Data, work: WorkContext) throws(ImageError) -> Bitmap? {
    if format.layout == .gray8 {
      return try converted(to: .opaqueRGBA8, work: work).converted(ifPossibleFrom: profile, work: work)
    }
    do throws(ImageError) {
      return try convertedGray(from: .icc(profile), work: work)
    } catch {
      guard error.code == .badImageData else { throw error }
      return nil
    }
  }
}
