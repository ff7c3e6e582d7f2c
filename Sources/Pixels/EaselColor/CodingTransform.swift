import CEaselColor
import EaselCore
import EaselSupport

/// Converts rows of colours from code points to sRGB.
///
/// Unchecked, because its tables never change after it is created.
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

  /// Converts one row; the number of the row selects the pattern of the dither.
  func convert(
    _ source: UnsafeRawPointer, _ layout: ColorTransform.Layout, into destination: UnsafeMutableRawPointer,
    _ destinationLayout: ColorTransform.Layout, pixelCount: Int, row: Int
  ) {
    easel_coding_transform_apply(
      handle, layout.foreign, source, destinationLayout.foreign, destination, pixelCount, row)
  }

  /// Finds the transform for a description among the latest ones, or makes it.
  static func find(_ color: ColorDescription) throws(ImageError) -> CodingTransform {
    let recipe = Recipe(color)
    if let known = latest.withLock({ $0.first { $0.recipe == recipe } }) { return known.transform }
    // Made outside the lock, because this takes milliseconds.
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

/// The parts of a description that change pixels.
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
  /// It is the luminance of the brightest pixel if the picture states it, but at most that of its mastering display.
  /// Otherwise it is that of the display, or else 1000.
  public var peakLuminance: Double {
    let display = masteringDisplay.map(\.greatestLuminance).flatMap { $0 > 0 ? min($0, 10_000) : nil }
    let stated = contentLight.flatMap { $0.greatest > 0 ? min(Double($0.greatest), 10_000) : nil }
    return stated.map { min($0, display ?? $0) } ?? display ?? 1000
  }
}

extension ColorDescription.Coding {
  /// True if pixels with these code points are shown unchanged: the code points mean sRGB, or have no known meaning.
  public var isShownAsSRGB: Bool {
    var coding = easel_coding(primaries: Int32(clamping: primaries), transfer: Int32(clamping: transfer), peak: 0)
    return easel_coding_is_srgb(&coding)
  }
}
