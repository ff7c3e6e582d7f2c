import Easel
import EaselAVIF
import EaselHEIF
import EaselJPEG2000
import EaselJXL
import EaselSVG
import EaselTIFF

extension CoderRegistry {
  /// A registry of all coders that Easel has: the standard ones, AVIF, HEIC, JPEG XL, JPEG 2000, TIFF and SVG.
  ///
  /// ```swift
  /// let manager = ImageManager(.standard(coder: .everything))
  /// ```
  ///
  /// Where strangers' pictures come in, put the risky ones among them into a sandbox, as `.server(...)` does.
  public static let everything = CoderRegistry(
    // SVG is asked last, because it has the weakest signature.
    [SVGCoder()] + simple + [JPEG2000Coder(), JXLCoder(), TIFFCoder(), AVIFCoder(), HEIFCoder()] + common)
}

extension ImageCoder where Self == CoderRegistry {
  /// The coders of all formats.
  ///
  /// ```swift
  /// configuration.coder = .everything
  /// ```
  public static var everything: CoderRegistry { CoderRegistry.everything }
}
