import EaselEverything
import EaselHelpers

extension CoderRegistry {
  /// All coders, which the program uses: its own, and those of the helpers that are installed.
  ///
  /// SVG is drawn only in a sandbox.
  static let program = everything.adding(Helpers(.program))

  /// The program's own coders, except that coders that need a sandbox refuse their files.
  static let programWithoutSandbox = CoderRegistry(
    everything.coders.map { $0.decodesOnlyInSandbox ? RefusedCoder(base: $0) as any ImageCoder : $0 })
}

extension HelperCards {
  /// The cards that were there when the program started.
  static let program = HelperCards()
}

extension ImageCoder {
  /// True if the coder decodes only in a sandbox.
  var decodesOnlyInSandbox: Bool { capability((any SandboxGuest).self)?.staysInSandbox ?? false }
}

/// Recognizes the files of a coder and refuses them, for a program that must not use a sandbox.
struct RefusedCoder: FileNamingCoder {
  let base: any ImageCoder

  var identifier: String { base.identifier }
  var formats: [ImageFormat] { base.formats }
  func fileExtensions(of format: ImageFormat) -> [String] { base.usualExtensions(of: format) }
  func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw refusal }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image { throw refusal }

  private var refusal: ImageError {
    ImageError(
      .decoderCrashed,
      "\(identifier.uppercased()) is decoded only in a sandbox. Choose --sandbox risky or all, or leave the option out."
    )
  }
}
