import FoundationEssentials

extension Data {
  /// True if these are the bytes of an ICC profile for grey values.
  package var isGrayProfile: Bool { dropFirst(16).prefix(4).elementsEqual("GRAY".utf8) }
}
