import EaselCore

/// The effort with which a picture is compressed.
enum PNGEffort: Equatable {
  /// The compression level from 0 to 9.
  case level(Int)
  /// All filters, and the shortest form of the bytes.
  case thorough
  /// The best filter for each row.
  case exhaustive

  init(_ options: EncodeOptions) {
    switch options.settings[.pngEffort] ?? (options.settings[.pngPalette] == nil ? 1 : 2) {
    case ..<2: self = .level(options.sensibleLevel)
    case 2: self = .thorough
    default: self = .exhaustive
    }
  }

  /// The level for the C code.
  var level: Int {
    switch self {
    case .level(let level): level
    case .thorough: 10
    case .exhaustive: 11
    }
  }

  /// Sets the options that mean this effort.
  func state(in options: inout EncodeOptions) {
    switch self {
    case .level(let level):
      options.compressionLevel = level
      if options.settings[.pngPalette] != nil { options.settings[.pngEffort] = 1 }
    case .thorough: options.settings[.pngEffort] = 2
    case .exhaustive: options.settings[.pngEffort] = 3
    }
  }
}
