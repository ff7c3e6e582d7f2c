import EaselCore
import EaselEverything
import EaselFormats
import EaselMisbehaving
import Glibc

/// Decoders that were taken over, and what the code in them tries.
enum RedTeam {
  static let coders = CoderRegistry.everything.coders

  /// What such code may try first: to run, to reach out, to lie.
  static let misdeeds: [Misdeed] = [
    .crash, .hang, .growOutput, .fork, .openFile, .writeFile, .openSocket, .connect, .signalParent, .trace, .readMemory,
    .execute, .makeCode, .lieAboutSize, .lieAboutOffset, .announceTooMuch, .writeGarbage, .closeSocket,
  ]

  /// The misdeeds that the code in a decoder tries.
  static func turn(of coder: Int, isLongRun: Bool) -> [Misdeed] {
    misdeeds.enumerated().filter { isLongRun || ($0.offset + coder) % 3 == 0 }.map(\.element)
  }

  /// The limits under which a misdeed is tried: those that spin wait for theirs.
  static func limits(for misdeed: Misdeed) -> Limits { misdeed == .hang ? SandboxTesting.impatient : Limits() }

  static func code(of misdeed: Misdeed) -> ImageError.Code {
    switch misdeed {
    case .allocate: .limitExceeded
    default: MisdeedTests.expectations.first { $0.0 == misdeed }?.1 ?? .decoderCrashed
    }
  }

  /// A small picture in the first format of a coder; nil if there is none.
  static func sample(of coder: any ImageCoder) -> ImageBytes? {
    if let bytes = FormatCards.cards(of: coder).lazy.compactMap(\.sample).first { return ImageBytes(bytes) }
    if coder.identifier == "svg" {
      return ImageBytes(Array("<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'/>".utf8))
    }
    guard let encoder = coder.capability((any EncodingCoder).self),
      let format = coder.formats.first(where: encoder.canEncode),
      let bitmap = try? Bitmap(width: 80, height: 60, format: .opaqueRGBA8)
    else { return nil }
    return try? encoder.encode(Image(bitmap), as: format, options: EncodeOptions(), work: WorkContext())
  }
}
