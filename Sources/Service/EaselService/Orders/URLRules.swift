import EaselCore

/// The rules of a server for the options of its URLs: presets, and which options are allowed.
public struct URLRules: Sendable {
  /// The options of each preset.
  private var presets: [String: [String]] = [:]
  /// True if URLs may only name presets.
  public let usesOnlyPresets: Bool
  /// The long names of the allowed options; nil for all.
  private let allowed: Set<String>?
  /// True if URLs may set limits.
  private let allowsLimits: Bool

  private static let defaultPreset = "default"
  private static let mostDepth = 8

  /// Allows every option but those that set limits.
  public init() { (usesOnlyPresets, allowed, allowsLimits) = (false, nil, false) }

  /// Creates rules.
  ///
  /// A preset is `name=option:argument/option:argument`; a preset named `default` applies to every URL. Presets may use
  /// others. `allowedOptions` are names, long or short. Throws if a preset or a name makes no sense.
  public init(
    presets: [String] = [], onlyPresets: Bool = false, allowedOptions: [String]? = nil, allowsLimits: Bool = false
  ) throws(ImageError) {
    usesOnlyPresets = onlyPresets
    self.allowsLimits = allowsLimits
    if let allowedOptions {
      var names: Set<String> = []
      for name in allowedOptions {
        guard let option = Self.longName(name) else { throw Self.unknown(name, "the list of allowed options") }
        names.insert(option)
      }
      allowed = names
    } else {
      allowed = nil
    }
    for preset in presets {
      guard let equals = preset.firstIndex(of: "="), equals != preset.startIndex else {
        throw ImageError(
          .invalidRequest, "The preset '\(preset)' must be written as name=option:argument/option:argument.")
      }
      let name = String(preset[..<equals])
      guard self.presets[name] == nil else {
        throw ImageError(.invalidRequest, "The preset '\(name)' is defined twice.")
      }
      self.presets[name] = preset[preset.index(after: equals)...].split(separator: "/").map(String.init)
    }
    try checkPresets(nil)
  }

  private static func longName(_ name: String) -> String? {
    name == "pr" ? "preset" : name == "preset" ? name : ImgproxyOption.byName[name]?.names[0]
  }

  /// Throws if a preset cannot be used with formats of these names; nil for formats of any name.
  package func checkPresets(_ formats: FormatNames?) throws(ImageError) {
    for name in presets.keys.sorted() {
      var draft = ImgproxyDraft(formats)
      do throws(ServiceError) {
        try applyPreset(name, to: &draft, depth: 0)
      } catch {
        throw ImageError(.invalidRequest, "The preset '\(name)' cannot be used: \(error.message)")
      }
    }
  }

  private static func unknown(_ name: String, _ place: String) -> ImageError {
    ImageError(
      .invalidRequest, "\(place.prefix(1).uppercased() + place.dropFirst()) names '\(name)', which is no option.")
  }

  // MARK: Applying

  func isPreset(_ name: String) -> Bool { presets[name] != nil }

  func applyDefault(to draft: inout ImgproxyDraft) throws(ServiceError) {
    if isPreset(Self.defaultPreset) { try applyPreset(Self.defaultPreset, to: &draft, depth: 0) }
  }

  /// Applies one segment of a URL.
  func apply(_ segment: String, to draft: inout ImgproxyDraft) throws(ServiceError) {
    guard usesOnlyPresets else { return try applyOption(segment, to: &draft, isFromURL: true, depth: 0) }
    for name in segment.split(separator: ":") { try applyPreset(String(name), to: &draft, depth: 0) }
  }

  private func applyPreset(_ name: String, to draft: inout ImgproxyDraft, depth: Int) throws(ServiceError) {
    guard let options = presets[name] else {
      throw ServiceError(400, "There is no preset '\(name.prefix(40))'.")
    }
    guard depth < Self.mostDepth else {
      throw ServiceError(400, "The preset '\(name)' uses itself, or others more than \(Self.mostDepth) deep.")
    }
    // A preset may have pipelines of its own, which are those that follow the one in which it stands.
    let place = draft.place
    // What the operator has written is allowed.
    for option in options { try applyOption(option, to: &draft, isFromURL: false, depth: depth + 1) }
    draft.goBack(to: place)
  }

  private func applyOption(
    _ text: String, to draft: inout ImgproxyDraft, isFromURL: Bool, depth: Int
  ) throws(ServiceError) {
    if text == ImgproxyOption.nextPipeline { return try draft.moveOn() }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let name = String(parts[0])
    if name == "preset" || name == "pr" {
      try require("preset", isFromURL: isFromURL)
      for preset in parts.dropFirst() where !preset.isEmpty {
        try applyPreset(String(preset), to: &draft, depth: depth)
      }
      return
    }
    guard let option = ImgproxyOption.byName[name] else { throw Self.unknownOption(name) }
    guard parts.count > 1 else {
      throw ServiceError(400, "The option \(name) has no arguments; write it as \(name):\(option.arguments).")
    }
    try require(option.names[0], isFromURL: isFromURL)
    guard !option.isGuarded || allowsLimits || !isFromURL else {
      throw ServiceError(400, "The option \(option.names[0]) is not allowed here, because it sets a limit.")
    }
    try option.apply(
      &draft, OptionArguments(option: option.names[0], values: Array(parts.dropFirst()), usage: option.arguments))
  }

  private func require(_ name: String, isFromURL: Bool) throws(ServiceError) {
    guard isFromURL, let allowed, !allowed.contains(name) else { return }
    throw ServiceError(400, "The option \(name) is not allowed here.")
  }

  private static func unknownOption(_ name: String) -> ServiceError {
    if let reason = ImgproxyOption.refused[name] {
      return ServiceError(400, "The option \(name) is not known here: \(reason).")
    }
    let shown = name.prefix(40)
    let nearest = name.utf8.count <= 40 ? NearestOption.of(name) : nil
    return ServiceError(
      400, "There is no option '\(shown)'.\(nearest.map { " Did you mean \($0)?" } ?? "")")
  }
}

/// Finds the option whose name is most like a wrong one.
private enum NearestOption {
  static func of(_ name: String) -> String? {
    let word = Array(name.utf8)
    let named = ImgproxyOption.all.map(\.names[0]).map { (name: $0, distance: distance(word, Array($0.utf8))) }
    guard let best = named.min(by: { $0.distance < $1.distance }), best.distance <= max(2, word.count / 3) else {
      return nil
    }
    return best.name
  }

  /// The number of letters to change, add or remove.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var corner = row[0]
      row[0] = index + 1
      for place in right.indices {
        let changed = corner + (letter == right[place] ? 0 : 1)
        corner = row[place + 1]
        row[place + 1] = min(changed, corner + 1, row[place] + 1)
      }
    }
    return row[right.count]
  }
}
