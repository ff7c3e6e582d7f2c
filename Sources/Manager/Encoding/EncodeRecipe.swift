import EaselCore

/// The encoded form of delivered bytes: a format or a list to choose from, and the options of the encoder.
///
/// ```swift
/// let bytes = try await manager.encoded(for: request, as: EncodeRecipe(.webp, quality: 0.7)).bytes
/// ```
public struct EncodeRecipe: Hashable, Sendable {
  /// The formats in order of preference; the manager uses the first that one of its coders writes.
  public var formats: [ImageFormat]
  /// True to keep the format of the original if it is one of ``formats``.
  ///
  /// For other originals, the manager uses the first of the formats that supports what the picture has: motion and
  /// transparency.
  public var keepsFormat = false
  /// True to write each of ``formats`` that supports what the picture has, and to deliver the smallest file.
  ///
  /// Qualities look equally good in all lossy formats, and scores do too. An original never stands for the smallest
  /// file.
  ///
  /// ```swift
  /// var recipe = EncodeRecipe(.avif, .webp, .jpeg, options: .target(score: 75))
  /// recipe.takesSmallest = true
  /// ```
  public var takesSmallest = false
  /// The options of the encoder.
  ///
  /// Transformers in the request decide the size; `maxPixelSize` limits it further.
  public var options: EncodeOptions
  /// The options of the encoder for some formats, which replace ``options``.
  public var formatOptions: [ImageFormat: EncodeOptions] = [:]

  /// Creates a recipe for the first of these formats that one of the manager's coders writes.
  ///
  /// ```swift
  /// let recipe = EncodeRecipe(.avif, .webp, .jpeg, options: EncodeOptions(quality: 0.7))
  /// ```
  public init(_ formats: ImageFormat..., options: EncodeOptions = EncodeOptions()) {
    self.init(firstOf: formats, options: options)
  }

  /// Creates a recipe for the first of these formats that one of the manager's coders writes.
  public init(firstOf formats: [ImageFormat], options: EncodeOptions = EncodeOptions()) {
    self.formats = formats
    self.options = options
  }

  /// Creates a recipe for one format and a quality from 0 to 1.
  ///
  /// ```swift
  /// let picture = try await manager.encoded(for: request, as: EncodeRecipe(.jpeg, quality: 0.6))
  /// ```
  public init(_ format: ImageFormat, quality: Double) { self.init(format, options: EncodeOptions(quality: quality)) }
}

/// Recipes for one format with the default options.
///
/// ```swift
/// let picture = try await manager.encoded(for: url, as: .webp)
/// ```
extension EncodeRecipe {
  /// Writes PNG with the default options.
  public static let png = EncodeRecipe(.png)
  /// Writes JPEG with the default options.
  public static let jpeg = EncodeRecipe(.jpeg)
  /// Writes GIF with the default options.
  public static let gif = EncodeRecipe(.gif)
  /// Writes WebP with the default options.
  public static let webp = EncodeRecipe(.webp)
  /// Writes AVIF with the default options.
  public static let avif = EncodeRecipe(.avif)
  /// Writes JPEG XL with the default options.
  public static let jxl = EncodeRecipe(.jxl)
}
