/// An ``EncodeRecipe`` as it is carried out: one format, options that all have an effect, and the suffix of the key.
///
/// This is a class, so that a memory hit costs one retain.
final class EncodedForm: Sendable {
  let format: ImageFormat
  let options: EncodeOptions
  let suffix: KeySuffix
  /// The coder that writes the format.
  let coder: any ImageCoder

  /// Chooses the first format that one of the coders writes, with the first coder that writes it.
  init(_ recipe: EncodeRecipe, coders: [any ImageCoder]) throws(ImageError) {
    guard !recipe.formats.isEmpty else {
      throw ImageError(.encodeFailed, "The recipe names no format. Give EncodeRecipe at least one.")
    }
    for format in recipe.formats {
      guard let coder = coders.first(where: { $0.canEncode(format) }) else { continue }
      try recipe.options.checkValues()
      self.format = format
      self.coder = coder
      options = coder.effectiveOptions(recipe.options.withKeyQuality, for: format)
      suffix = KeySuffix(try EncodingKey.text(format, options), origin: .encoding)
      return
    }
    let names = recipe.formats.map(\.mimeType).joined(separator: ", ")
    throw ImageError(.encodeFailed, "No registered coder writes any format of the recipe: \(names).")
  }
}

extension EncodedForm {
  /// The options that apply the transformers to what is written: to the first frame alone, or to all frames.
  ///
  /// Without them, transformers skip moving pictures, and the bytes would not have the size that was asked for.
  var optionsForFrames: ImageOptions {
    options.firstFrameOnly || !coder.writesFrames(as: format) ? .firstFrameOnly : .transformAnimated
  }
}

extension EncodeOptions {
  /// Throws when a value has no meaning.
  fileprivate func checkValues() throws(ImageError) {
    guard quality >= 0, quality <= 1 else {
      throw ImageError(.encodeFailed, "The quality must be from 0 to 1, but is \(quality).")
    }
    if let maxFileBytes, maxFileBytes < 1 {
      throw ImageError(.encodeFailed, "The most bytes of a file must be at least 1, but are \(maxFileBytes).")
    }
    if let box = maxPixelSize, box.isEmpty {
      throw ImageError(
        .encodeFailed, "Both sides of EncodeOptions.maxPixelSize must be at least 1, but the box is \(box).")
    }
    guard (0...9).contains(compressionLevel) else {
      throw ImageError(.encodeFailed, "The compression level must be from 0 to 9, but is \(compressionLevel).")
    }
  }

  /// The options with the quality that the key can express: per cent with two decimals.
  fileprivate var withKeyQuality: EncodeOptions {
    var options = self
    options.quality = EncodingKey.quality(ofPercent: EncodingKey.percent(of: quality))
    return options
  }
}
