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
    guard let misdeed = Self.misdeed(in: options) else { return image }
    return try MisdeedWork(limits: work.limits).run(misdeed) ?? image
  }

  /// The misdeed that options command.
  fileprivate static func misdeed(in options: DecodeOptions) -> Misdeed? {
    Misdeed.allCases.first { options.typeHint == command($0) }
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

extension PlantedCoder: ProgressiveImageCoder {
  package func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    try base.capability((any ProgressiveImageCoder).self)?
      .makeDecoder(prefix: prefix, options: options, work: work)
      .map { PlantedDecoder(base: $0, misdeed: Self.misdeed(in: options) ?? .nothing, limits: work.limits) }
  }
}

/// Does a misdeed when a preview is wanted.
private struct PlantedDecoder: ProgressiveDecoder {
  let base: any ProgressiveDecoder
  let misdeed: Misdeed
  let limits: Limits

  func update(_ bytes: ImageBytes) throws { try base.update(bytes) }

  func preview() throws -> Image? { try MisdeedWork(limits: limits).run(misdeed) ?? base.preview() }

  func finish(_ bytes: ImageBytes) throws -> Image { try base.finish(bytes) }
}
