import EaselCore
import EaselWorkers

/// Tells whether the bytes of an original already satisfy a request for encoded bytes, or can be repacked for it.
///
/// The bytes can replace a file with the default quality, scan order or effort. They never replace a file for which the
/// caller set one of these, because nobody knows how the original was made.
struct PassThrough: Sendable {
  private let request: ResolvedRequest
  /// The wanted files that an original can replace.
  private let files: [RecipeFormat]
  /// The first wanted format, if an original can replace it; only this format is made of files of other formats.
  private let firstFormat: ImageFormat?
  private let steps: [any SizeDependentTransformer]

  /// The bytes of an original that suffice for the result.
  enum Original: Sendable {
    case wanted(EncodingResult)
    case repackable(ImageBytes, as: RecipeFormat)
  }

  /// Returns nil when the original cannot replace the result.
  init?(_ request: ResolvedRequest) {
    guard let form = request.form, !form.takesSmallest, request.mayKeepBytes else { return nil }
    files = form.files.filter(\.mayBeAnOriginal)
    guard !files.isEmpty else { return nil }
    self.request = request
    firstFormat = form.files[0].mayBeAnOriginal ? form.files[0].format : nil
    steps = request.steps.compactMap { $0 as? any SizeDependentTransformer }
  }

  /// True when the original bytes of this decoded picture may satisfy the request.
  func mayHaveComeFromWantedBytes(_ image: Image) -> Bool {
    file(ofFormat: image.format) != nil || repackedFormat(of: image.format) != nil
  }

  /// True unless the beginning of a body shows that its bytes do not satisfy the request.
  func isPossible(for beginning: ImageBytes, work: WorkContext) -> Bool {
    guard let prefix = try? beginning.prefix(CoderRegistry.sniffLength) else { return false }
    guard request.coder.canDecode(prefix: prefix) else { return prefix.count < CoderRegistry.sniffLength }
    guard mayBeWanted(prefix) else { return false }
    // The header may be incomplete, because only a part has arrived. It decides only if it can be read.
    guard let header = try? request.coder.probe(beginning, work: work) else { return true }
    let wanted = file(ofFormat: header.format) ?? repackedFormat(of: header.format).flatMap(file(ofFormat:))
    return wanted.map { hasRightPicture(header, $0.options) } ?? false
  }

  /// Returns the original if its bytes satisfy the request, or can be repacked; nil when the picture must be encoded.
  func original(_ bytes: ImageBytes, work: WorkContext) throws -> Original? {
    guard mayBeWanted(try bytes.prefix(CoderRegistry.sniffLength)) else { return nil }
    guard let header = try request.checks.header(of: bytes, by: request.coder, work: work) else { return nil }
    if let passed = try passed(bytes, header, work) { return .wanted(passed) }
    guard let format = repackedFormat(of: header.format), let wanted = file(ofFormat: format),
      hasRightPicture(header, wanted.options)
    else { return nil }
    return .repackable(bytes, as: wanted)
  }

  /// The result that the bytes of an original suffice for, repacked if need be; nil when the picture must be encoded.
  func result(of original: Original?, work: WorkContext) throws -> EncodingResult? {
    if case .wanted(let passed) = original { return passed }
    // A file that cannot be repacked, for whatever reason, may still have a picture that can be encoded.
    guard case .repackable(let bytes, let wanted) = original,
      let file = try? repacker?.repacked(
        bytes, as: wanted.format, withMetadata: wanted.options.keepsMetadata, work: work),
      let header = try request.checks.header(of: file, by: request.coder, work: work), header.format == wanted.format,
      var passed = try passed(file, header, work)
    else { return nil }
    passed.isUntouched = false
    return passed
  }

  /// False when the signature alone shows that the bytes have no wanted format, so that no header has to be read.
  private func mayBeWanted(_ prefix: [UInt8]) -> Bool {
    guard let coders = (request.coder as? CoderRegistry)?.coders.filter({ $0.canDecode(prefix: prefix) }),
      !coders.isEmpty
    else { return true }
    return coders.contains { coder in
      coder.formats.contains { file(ofFormat: $0) != nil || repackedFormat(of: $0) != nil }
    }
  }

  private func file(ofFormat format: ImageFormat?) -> RecipeFormat? { files.first { $0.format == format } }

  /// The first wanted format, if files of `format` can become files of it; otherwise nil.
  private func repackedFormat(of format: ImageFormat?) -> ImageFormat? {
    format.flatMap { repacker?.repackedFormats(of: $0).first { $0 == firstFormat } }
  }

  private var repacker: (any RepackingCoder)? { request.coder.capability((any RepackingCoder).self) }

  private func hasNoMetadata(_ bytes: ImageBytes, _ work: WorkContext) throws -> Bool {
    try request.coder.capability((any MetadataCountingCoder).self)?.metadataBytes(of: bytes, work: work) == 0
  }

  private func passed(_ bytes: ImageBytes, _ header: ImageHeader, _ work: WorkContext) throws -> EncodingResult? {
    let limits = request.limits
    guard let wanted = file(ofFormat: header.format), hasRightPicture(header, wanted.options),
      bytes.count <= min(wanted.options.maxFileBytes ?? .max, limits.resultBytes),
      (try? limits.check(result: header.uprightSize, madeBy: "")) != nil,
      try wanted.options.keepsMetadata || hasNoMetadata(bytes, work)
    else { return nil }
    return EncodingResult(bytes: bytes, format: header.format, size: header.uprightSize, isUntouched: true)
  }

  private func hasRightPicture(_ header: ImageHeader, _ options: EncodeOptions) -> Bool {
    let size = header.uprightSize
    let writesFirst = request.options.contains(.firstFrameOnly)
    return
      (header.frameCount == 1
      ? !request.options.contains(.requireAnimated) : !writesFirst && !request.decodeOptions.firstFrameOnly)
      && (header.orientation == .up || request.decodeOptions.appliesOrientation)
      && request.decodeOptions.targetSize(for: header) == size
      && (options.keepsGainMap || header.gainMap == nil)
      && options.maxPixelSize.map { size.thumbnail(in: $0) == size } ?? true
      && (request.decodeOptions.keepsHighRange || header.color?.coding.isHighRange != true)
      && steps.allSatisfy { $0.leavesUnchanged(size) }
  }
}
