import EaselSupport

extension EncodeOptions {
  /// A setting of one coder that the core need not know, such as the speed of an AVIF encoder.
  ///
  /// A module declares its own in an extension, and a caller sets it by name:
  /// ```swift
  /// extension EncodeOptions.Setting<Int> {
  ///   static var bannerEffort: EncodeOptions.Setting<Int> { EncodeOptions.Setting("banner-effort") }
  /// }
  ///
  /// options.settings[.bannerEffort] = 6
  /// ```
  ///
  /// The value is kept as text, because the text becomes part of cache keys and can be read back from them.
  public struct Setting<Value: Sendable>: Sendable {
    package let name: String
    package let text: @Sendable (Value) -> String
    package let value: @Sendable (String) -> Value?

    /// Creates a setting with its own text form.
    ///
    /// The name must be unique among all coders, and consists of letters, digits and dashes, as in `avif-speed`.
    /// `value` reads the text that `text` writes. Equal values need equal texts. Cache keys leave out an
    /// empty text, and then mean what they meant before there was the setting.
    public init(
      _ name: String, text: @escaping @Sendable (Value) -> String, value: @escaping @Sendable (String) -> Value?
    ) {
      precondition(Self.isName(name), "The name of an encode setting has only letters, digits and dashes: \(name)")
      self.name = name
      self.text = text
      self.value = value
    }

    /// True for letters, digits and dashes, beginning with a letter.
    package static func isName(_ text: String) -> Bool {
      let first = text.utf8.first.map { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }
      return first == true
        && text.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
          default: false
          }
        }
    }
  }
}

extension EncodeOptions.Setting where Value: LosslessStringConvertible {
  /// Creates a setting whose values are written as their descriptions, such as numbers, truth values and texts.
  public init(_ name: String) { self.init(name, text: \.description) { Value($0) } }
}

extension EncodeOptions {
  /// The settings of coders in ``EncodeOptions``.
  public struct Settings: Hashable, Sendable {
    // Sorted by name, so that the order in which they are set does not matter.
    package private(set) var entries: [Entry] = []

    package struct Entry: Hashable, Sendable {
      package let name: String
      package let text: String
    }

    /// Creates empty settings.
    public init() {}

    /// The value of a setting; nil when the setting is not set, or cannot read its text.
    public subscript<Value>(setting: EncodeOptions.Setting<Value>) -> Value? {
      get { self[setting.name].flatMap(setting.value) }
      set { self[setting.name] = newValue.map(setting.text) }
    }

    /// The text of the setting with this name.
    package subscript(name: String) -> String? {
      get { entries.first { $0.name == name }?.text }
      set {
        entries.removeAll { $0.name == name }
        guard let newValue else { return }
        let index = entries.firstIndex { ByteComparison.precedes(name, $0.name) } ?? entries.count
        entries.insert(Entry(name: name, text: newValue), at: index)
      }
    }

    /// True when nothing is set.
    public var isEmpty: Bool { entries.isEmpty }
  }
}
