import CEaselColor
import EaselCore
import EaselSupport

/// Converts rows of colours given by code points to sRGB.
///
/// Unchecked because its tables never change once made.
final class CodingTransform: @unchecked Sendable {
  private let handle: OpaquePointer

  fileprivate init(_ recipe: Recipe) throws(ImageError) {
    var coding = recipe.foreign
    guard let handle = easel_coding_transform_create(&coding) else {
      throw ImageError.exhausted("There is no memory for the tables of a colour conversion.")
    }
    self.handle = handle
  }

  deinit { easel_coding_transform_destroy(handle) }

  /// Converts one row, whose number selects the pattern of the dither.
  func convert(
    _ source: UnsafeRawPointer, _ layout: ColorTransform.Layout, into destination: UnsafeMutableRawPointer,
    _ destinationLayout: ColorTransform.Layout, pixelCount: Int, row: Int
  ) {
    easel_coding_transform_apply(
      handle, layout.foreign, source, destinationLayout.foreign, destination, pixelCount, row)
  }

  /// The transform of a description, made anew or found among the last ones.
  static func find(_ color: ColorDescription) throws(ImageError) -> CodingTransform {
    let recipe = Recipe(color)
    if let known = latest.withLock({ $0.first { $0.recipe == recipe } }) { return known.transform }
    // Made outside the lock, because it takes milliseconds.
    let made = try CodingTransform(recipe)
    latest.withLock { entries in
      entries.removeAll { $0.recipe == recipe }
      entries.append((recipe, made))
      if entries.count > mostKept { entries.removeFirst() }
    }
    return made
  }

  private static let mostKept = 4
  private static let latest = Locked<[(recipe: Recipe, transform: CodingTransform)]>([])
}

/// All of a description that changes pixels.
private struct Recipe: Hashable {
  let primaries, transfer: Int
  let peak: Double

  init(_ color: ColorDescription) {
    (primaries, transfer) = (color.coding.primaries, color.coding.transfer)
    peak = transfer == 16 ? color.peakLuminance : 0
  }

  var foreign: easel_coding {
    easel_coding(primaries: Int32(clamping: primaries), transfer: Int32(clamping: transfer), peak: peak)
  }
}

extension ColorDescription {
  /// The luminance of the brightest pixel of a PQ picture, in candela per square metre.
  ///
  /// It is that of the brightest pixel if the picture states it, but no more than its mastering display could show;
  /// else that of the display; else 1000.
  public var peakLuminance: Double {
    let display = masteringDisplay.map(\.greatestLuminance).flatMap { $0 > 0 ? min($0, 10_000) : nil }
    let stated = contentLight.flatMap { $0.greatest > 0 ? min(Double($0.greatest), 10_000) : nil }
    return stated.map { min($0, display ?? $0) } ?? display ?? 1000
  }
}

extension ColorDescription.Coding {
  /// True if pixels with these code points are shown as they are: those of sRGB, and those without a known meaning.
  public var isShownAsSRGB: Bool {
    var coding = easel_coding(primaries: Int32(clamping: primaries), transfer: Int32(clamping: transfer), peak: 0)
    return easel_coding_is_srgb(&coding)
  }
}
