import FoundationEssentials

extension Data {
  /// True if these are the bytes of an ICC profile for grey values.
  package var isGrayProfile: Bool { profileSpace.elementsEqual("GRAY".utf8) }

  /// True if these are the bytes of an ICC profile for four inks.
  package var isCMYKProfile: Bool { profileSpace.elementsEqual("CMYK".utf8) }

  private var profileSpace: Data { dropFirst(16).prefix(4) }
}
