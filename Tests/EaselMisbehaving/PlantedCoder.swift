import EaselCore

/// A coder with a planted fault: it decodes as another one does, and then does what the format of its options commands.
package struct PlantedCoder: SandboxGuest {
  private let base: any ImageCoder

  /// Plants a fault in a coder.
  package init(_ base: any ImageCoder) { self.base = base }

  package var identifier: String { "planted-\(base.identifier)" }
  package var formats: [ImageFormat] { base.formats }
  package var startsThreads: Bool { base.capability((any SandboxGuest).self)?.startsThreads ?? false }

  package func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }

  package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try base.probe(bytes, work: work)
  }

  package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let image = try base.decode(bytes, options: options, work: work)
    guard let misdeed = Misdeed.allCases.first(where: { options.typeHint == Self.command($0) }) else { return image }
    return try MisdeedWork(limits: work.limits).run(misdeed) ?? image
  }

  /// The options that command a misdeed.
  package static func options(for misdeed: Misdeed) -> DecodeOptions {
    var options = DecodeOptions()
    options.typeHint = command(misdeed)
    return options
  }

  private static func command(_ misdeed: Misdeed) -> ImageFormat {
    ImageFormat(mimeType: "misdeed/\(Misdeed.allCases.firstIndex(of: misdeed)!)")
  }
}
