import EaselSupport

extension CacheKey {
  /// One operation on the pixels, as written in a cache key.
  public struct Suffix: Sendable {
    /// The kind of step that a suffix stands for.
    ///
    /// Equal texts from different sources are different suffixes.
    public enum Origin: UInt8, Hashable, Sendable, Codable {
      /// The decoder made the picture smaller.
      case size
      /// A transformer changed the pixels.
      case transformer
      /// A setting of the core changed the pixels.
      case setting
      /// A context key of a plug-in changed the pixels.
      case custom
      /// The encoder made the bytes of an ``EaselManager/EncodeRecipe``.
      case encoding
    }

    /// The kind of step that the suffix stands for.
    public let origin: Origin
    /// The text of the suffix, such as `Flip(1,0)`.
    public let text: String

    /// Creates a suffix from its text and the kind of step that it stands for.
    public init(_ text: String, origin: Origin = .transformer) {
      self.text = text
      self.origin = origin
    }
  }
}

extension CacheKey.Suffix: Hashable {
  /// True when origin and text are equal; the text is compared byte by byte.
  public static func == (left: CacheKey.Suffix, right: CacheKey.Suffix) -> Bool {
    left.origin == right.origin && ByteComparison.isSame(left.text, right.text)
  }

  /// Hashes the values that equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(origin)
    hasher.combine(text)
  }
}

extension CacheKey.Suffix {
  /// All suffixes in the order of the key: scaling, thumbnail, transformers, then the other settings by name.
  package static func all(
    of transformer: TransformerPipeline, decodeOptions: DecodeOptions, options: ImageOptions,
    namedCoder: (any ImageCoder)?, context: ImageContext
  ) -> [CacheKey.Suffix] {
    var rest = settings(decodeOptions, namedCoder)
    if options.contains(.transformAnimated) && !transformer.isIdentity { rest.append(NamedSuffix("Animated", "1")) }
    rest += context.cacheParts(.pixels).map { NamedSuffix($0.name, $0.text, origin: .custom) }
    return sizes(decodeOptions) + transformer.members.map { CacheKey.Suffix($0.cacheKey) } + rest.sorted().map(\.suffix)
  }

  /// A suffix with the name by which it is sorted.
  private struct NamedSuffix: Comparable {
    let name: String
    let suffix: CacheKey.Suffix

    init(_ name: String, _ value: String, origin: Origin = .setting) {
      self.name = name
      // The name of a plug-in may contain a bracket, which would look like the one before the value.
      suffix = CacheKey.Suffix("\(origin == .custom ? Self.escaped(name) : name)(\(value))", origin: origin)
    }

    private static func escaped(_ name: String) -> String { KeyEscaping.escape(name, where: mustBeEscaped) }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
      byte < 0x20 || byte == 0x7f || "(),%".utf8.contains(byte)
    }

    static func < (left: NamedSuffix, right: NamedSuffix) -> Bool {
      if !ByteComparison.isSame(left.name, right.name) { return ByteComparison.precedes(left.name, right.name) }
      if left.suffix.origin != right.suffix.origin { return left.suffix.origin.rawValue < right.suffix.origin.rawValue }
      return ByteComparison.precedes(left.suffix.text, right.suffix.text)
    }
  }

  private static func sizes(_ options: DecodeOptions) -> [CacheKey.Suffix] {
    var suffixes: [CacheKey.Suffix] = []
    if let bytes = options.scaleDownLimitBytes {
      suffixes.append(CacheKey.Suffix("ScaleDown(\(bytes))", origin: .size))
    }
    if let box = options.thumbnailSize {
      let aspect = KeyNumber.text(options.preservesAspectRatio)
      let care = options.fidelity == .fast ? "" : ",\(options.fidelity.rawValue)"
      suffixes.append(CacheKey.Suffix("Thumbnail({\(box.width),\(box.height)},\(aspect)\(care))", origin: .size))
    }
    return suffixes
  }

  private static func settings(_ options: DecodeOptions, _ namedCoder: (any ImageCoder)?) -> [NamedSuffix] {
    var suffixes: [NamedSuffix] = []
    if let namedCoder { suffixes.append(NamedSuffix("Coder", namedCoder.identifier)) }
    if !options.appliesOrientation { suffixes.append(NamedSuffix("Orientation", "raw")) }
    if !options.convertsColor { suffixes.append(NamedSuffix("Color", "raw")) }
    if options.keepsHighRange { suffixes.append(NamedSuffix("Range", "high")) }
    if options.keeps16Bits { suffixes.append(NamedSuffix("Depth", "16")) }
    switch options.damaged {
    case .refuse: suffixes.append(NamedSuffix("Damaged", "refuse"))
    case .whole: break
    case .show: suffixes.append(NamedSuffix("Partial", "1"))
    }
    if options.firstFrameOnly { suffixes.append(NamedSuffix("FirstFrame", "1")) }
    return suffixes
  }
}
