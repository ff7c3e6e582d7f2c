import EaselCore

extension ImageCoder where Self == CoderRegistry {
  /// All coders that this module includes.
  ///
  /// ```swift
  /// let configuration = ImageManager.Configuration(loader: FileLoader(), coder: .standard, cache: TieredCache())
  /// ```
  public static var standard: CoderRegistry { CoderRegistry.standard }
}
