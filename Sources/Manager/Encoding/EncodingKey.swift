import EaselCore

/// Writes and reads the last suffix in the key of encoded bytes, such as `Encode(webp,80,max=50000)`.
///
/// Format and quality are always there. Other options follow in a fixed order if they differ from the defaults, and
/// then the settings of coders as `name:value`. A value that a caller set has another text than an equal default, such
/// as `q80`, because an original can replace a file with defaults.
enum EncodingKey {
  /// The text for one file, or for several with the mark of the choice among them: `Encode(original:jpeg,80;png,80)`.
  ///
  /// With `tellsAsked` false, values that a caller set look like defaults: if no original can replace the files, the
  /// difference does not matter.
  static func text(
    _ files: [(format: ImageFormat, options: EncodeOptions)], _ choice: String = keptMark, tellsAsked: Bool = true
  ) throws(ImageError) -> String {
    var texts: [String] = []
    for file in files {
      texts.append(try text(file.format, file.options, tellsAsked ? file.options.asked : file.options.asked.changes))
    }
    return "Encode(\(texts.count > 1 ? choice : "")\(texts.joined(separator: ";")))"
  }

  /// The mark of files among which the format of the original decides, and of those of which the smallest counts.
  static let (keptMark, smallestMark) = ("original:", "smallest:")

  private static func text(
    _ format: ImageFormat, _ options: EncodeOptions, _ asked: EncodeOptions.Asked
  ) throws(ImageError) -> String {
    let quality = try KeyNumber.text(percent(of: options.quality))
    var parts = [name(of: format), asked.quality == nil ? quality : askedMark + quality]
    if let lossless = asked.lossless { parts.append(lossless ? "lossless" : "lossy") }
    if let most = options.maxFileBytes { parts.append("max=\(most)") }
    if let box = options.maxPixelSize { parts.append("within={\(box.width),\(box.height)}") }
    if options.backgroundColor != standard.backgroundColor {
      parts.append("background=\(KeyNumber.text(options.backgroundColor))")
    }
    if options.firstFrameOnly { parts.append("first") }
    if let progressive = asked.progressive { parts.append(progressive ? "progressive" : "baseline") }
    if let chroma = asked.chromaSubsampling { parts.append("chroma=\(chroma.keyText)") }
    if let level = asked.compressionLevel { parts.append("level=\(level)") }
    if options.allowsPalette { parts.append("palette") }
    if options.keepsMetadata { parts.append("metadata") }
    if options.keepsCopyright { parts.append("copyright") }
    if !options.keepsGainMap { parts.append("nogainmap") }
    parts += options.settings.entries.filter { !$0.text.isEmpty }.map { "\($0.name):\(escaped($0.text))" }
    return parts.joined(separator: ",")
  }

  /// The mark of a quality that a caller set.
  private static let askedMark = "q"

  /// Reads a text that ``text(_:)`` wrote.
  static func recipe(from text: String) throws(ImageError) -> EncodeRecipe {
    guard text.hasPrefix("Encode("), text.hasSuffix(")") else {
      throw malformed(text, "it must begin with 'Encode(' and end with ')'")
    }
    let inner = text.dropFirst(7).dropLast()
    guard let choice = [keptMark, smallestMark].first(where: { inner.hasPrefix($0) }) else {
      let (format, options) = try file(from: inner, in: text)
      return EncodeRecipe(format, options: options)
    }
    var recipe = EncodeRecipe(firstOf: [])
    (recipe.keepsFormat, recipe.takesSmallest) = (choice == keptMark, choice == smallestMark)
    for part in parts(of: inner.dropFirst(choice.count), between: ";") {
      let (format, options) = try file(from: part[...], in: text)
      recipe.formats.append(format)
      recipe.formatOptions[format] = options
    }
    guard Set(recipe.formats).count == recipe.formats.count else { throw malformed(text, "it names a format twice") }
    return recipe
  }

  private static func file(
    from inner: Substring, in text: String
  ) throws(ImageError) -> (ImageFormat, EncodeOptions) {
    let parts = parts(of: inner, between: ",")
    let isAsked = parts.count > 1 && parts[1].hasPrefix(askedMark)
    guard parts.count >= 2, !parts[0].isEmpty, let percent = Double(isAsked ? parts[1].dropFirst() : parts[1][...]),
      percent >= 0, percent <= 100
    else {
      throw malformed(text, "it needs a format and a quality from 0 to 100, as in Encode(webp,80)")
    }
    var options = EncodeOptions(quality: isAsked ? quality(ofPercent: percent) : nil)
    if !isAsked { options.defaultQuality = quality(ofPercent: percent) }
    for part in parts.dropFirst(2) {
      guard read(part, into: &options) else { throw malformed(text, "'\(part)' is no option of an encoder") }
    }
    return (format(named: parts[0]), options)
  }

  private static let standard = EncodeOptions()

  /// The quality in per cent, rounded to two decimals.
  static func percent(of quality: Double) -> Double { (quality * 10_000).rounded() / 100 }

  static func quality(ofPercent percent: Double) -> Double { percent / 100 }

  private static func read(_ part: String, into options: inout EncodeOptions) -> Bool {
    switch part {
    case "lossless": options.lossless = true
    case "lossy": options.lossless = false
    case "first": options.firstFrameOnly = true
    case "progressive": options.progressive = true
    case "baseline": options.progressive = false
    case "chroma=444": options.chromaSubsampling = .full
    case "chroma=422": options.chromaSubsampling = .halfWidth
    case "chroma=420": options.chromaSubsampling = .quarter
    case "palette": options.allowsPalette = true
    case "metadata": options.keepsMetadata = true
    case "copyright": options.keepsCopyright = true
    case "nogainmap": options.keepsGainMap = false
    default: return readValue(of: part, into: &options)
    }
    return true
  }

  private static func readValue(of part: String, into options: inout EncodeOptions) -> Bool {
    if let most = part.value(after: "max=") {
      options.maxFileBytes = Int(most)
      return options.maxFileBytes != nil
    }
    if let box = part.value(after: "within={"), box.hasSuffix("}") {
      let sides = box.dropLast().split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
      guard sides.count == 2, let width = sides[0], let height = sides[1] else { return false }
      options.maxPixelSize = PixelSize(width: width, height: height)
      return true
    }
    if let color = part.value(after: "background=#") {
      guard color.utf8.count == 8, let value = UInt32(color, radix: 16) else { return false }
      let byte = { (shift: UInt32) in UInt8(truncatingIfNeeded: value >> shift) }
      options.backgroundColor = PixelColor(red: byte(16), green: byte(8), blue: byte(0), alpha: byte(24))
      return true
    }
    if let level = part.value(after: "level=") {
      guard let level = Int(level) else { return false }
      options.compressionLevel = level
      return true
    }
    guard let colon = part.firstIndex(of: ":") else { return false }
    let name = String(part[..<colon])
    guard EncodeOptions.Setting<String>.isName(name), let text = KeyEscaping.unescape(part[part.index(after: colon)...])
    else {
      return false
    }
    options.settings[name] = text
    return true
  }

  /// Splits a text at separators that are outside braces.
  private static func parts(of text: Substring, between separator: Character) -> [String] {
    var parts = [""]
    var depth = 0
    for character in text {
      if character == "{" { depth += 1 }
      if character == "}" { depth -= 1 }
      if character == separator && depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    return parts
  }

  private static func malformed(_ text: String, _ problem: String) -> ImageError {
    ImageError(.encodeFailed, "The key '\(text)' cannot be read: \(problem).")
  }

  // MARK: Names

  /// The type without `image/`; any other type is escaped and keeps its slash.
  private static func name(of format: ImageFormat) -> String {
    let type = format.mimeType
    let short = type.hasPrefix("image/") ? String(type.dropFirst(6)) : type
    // A short name with a slash would later be read as a whole type.
    return escaped(short.utf8.contains(UInt8(ascii: "/")) || short.isEmpty ? type : short)
  }

  private static func format(named name: String) -> ImageFormat {
    let type = KeyEscaping.unescape(name[...]) ?? name
    return ImageFormat(mimeType: type.utf8.contains(UInt8(ascii: "/")) ? type : "image/" + type)
  }

  private static func escaped(_ text: String) -> String { KeyEscaping.escape(text, where: mustBeEscaped) }

  private static func mustBeEscaped(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7f || "(),;%{}:=".utf8.contains(byte)
  }
}

extension EncodeOptions.Asked {
  /// The set options whose values differ from the defaults, without the quality, which is always written.
  ///
  /// The resolution of colours counts whenever it was asked for, because a coder may choose another by the picture.
  fileprivate var changes: Self {
    let usual = EncodeOptions()
    return Self(
      lossless: lossless == usual.lossless ? nil : lossless,
      progressive: progressive == usual.progressive ? nil : progressive,
      chromaSubsampling: chromaSubsampling,
      compressionLevel: compressionLevel == usual.compressionLevel ? nil : compressionLevel)
  }
}

extension EncodeOptions.ChromaSubsampling {
  fileprivate var keyText: String {
    switch self {
    case .full: "444"
    case .halfWidth: "422"
    case .quarter: "420"
    }
  }
}

extension String {
  fileprivate func value(after prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}

extension EncodeRecipe {
  /// Creates the recipe that the last suffix of a key describes, such as `Encode(webp,80)`.
  ///
  /// Throws `encodeFailed` for a text that does not describe a recipe.
  public init(parsing text: String) throws(ImageError) { self = try EncodingKey.recipe(from: text) }
}
