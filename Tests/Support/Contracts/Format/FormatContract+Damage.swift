import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials

/// The rules about files that are cut, changed or made to do harm.
extension FormatContract {
  /// A small file with EXIF and XMP.
  private func small(_ options: EncodeOptions = EncodeOptions(), moves: Bool = false) throws -> [UInt8] {
    var image = try moves ? moving().image : Image(Bitmap.noise(12, 10, pixels))
    image.metadata.exif = EXIFBlock.of(.up)
    image.metadata.xmp = Data("<x:xmpmeta/>".utf8)
    return try encode(image, options) { $0.keepsMetadata = true }
  }

  /// A still picture of each way of writing, and a moving one; of many ways in usual runs only of every third.
  private var victims: [(name: String, bytes: [UInt8])] {
    get throws {
      try format.damagedWays.enumerated().flatMap { way, options in
        let moves = format.motion != nil && (LongRun.isOn || way % 3 == 0)
        return try (moves ? [false, true] : [false]).map { moves in
          ("a \(moves ? "moving" : "still") picture, written in way \(way)", try small(options, moves: moves))
        }
      }
    }
  }

  func checkCuts(_ note: FormatFindings) throws {
    for (turn, (name, bytes)) in try victims.enumerated() {
      let whole = try decode(bytes)
      for count in PlacesInTurn(upTo: bytes.count, turn: turn) {
        let what = "\(count) of \(bytes.count) bytes of \(name)"
        let cut = Array(bytes[..<count])
        for damaged in Self.policies(ofCut: count) {
          guard let part = attempt(what, note, { try decode(cut) { $0.damaged = damaged } }) else { continue }
          // Only what no picture needs may be missing.
          let hasAllFrames =
            part.frames?.count == whole.frames?.count
            || format.motion?.statesCount == false && !part.metadata.notes.isEmpty
          let isWhole = part.bitmap == whole.bitmap && hasAllFrames
          let isMarked = part.traits.contains(.partial)
          note.expect(
            isWhole && (damaged != .refuse || format.mayLackItsEnd) || isMarked && damaged == .show,
            "\(what) pass for whole with the policy \(damaged).")
          for index in 0..<(part.frames?.count ?? 0) { _ = attempt(what, note) { try part.frames?.frame(at: index) } }
        }
        guard let counter else { continue }
        let counted = attempt(what, note) { try counter.metadataBytes(of: ImageBytes(cut), work: WorkContext()) }
        note.expect((counted ?? nil) == nil, "\(what) claim \(counted as Any) bytes of metadata.")
      }
    }
  }

  /// The policies with which a cut file is decoded: all in a long run, otherwise one of them in turn.
  private static func policies(ofCut count: Int) -> [DamagePolicy] {
    let all = DamagePolicy.allCases
    return LongRun.isOn ? all : [all[(count / 3 + count) % all.count]]
  }

  func checkWrongBytes(_ note: FormatFindings) throws {
    let limits = Limits(framePixels: 1 << 16)
    for (turn, (name, bytes)) in try victims.enumerated() {
      for damaged in WrongBytes(of: bytes, turn: turn) {
        let image = attempt(name, note) { try decode(damaged, limits: limits) { $0.damaged = .show } }
        note.expect((image?.size.area ?? 0) <= 1 << 16, "\(name) with a wrong byte becomes one of \(image!.size).")
        if let frames = image?.frames { _ = attempt(name, note) { try frames.frame(at: frames.count - 1) } }
        let count = attempt(name, note) {
          try counter?.metadataBytes(of: ImageBytes(damaged), work: WorkContext(limits: limits))
        }
        note.expect(
          (0...damaged.count).contains((count ?? nil) ?? 0),
          "\(name) with a wrong byte claims \(count as Any) bytes of metadata.")
      }
    }
  }

  /// The result of some work; nil for an error, which must be an `ImageError` that names the format.
  private func attempt<Result>(_ what: String, _ note: FormatFindings, _ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      let message = (error as? ImageError)?.message
      note.expect(message?.hasPrefix("\(format.name): ") == true, "\(what) ended with \(error).")
      return nil
    }
  }

  func checkNoPicture(_ note: FormatFindings) throws {
    let file = try small()
    for bytes in [[], [0], Array(file.prefix(16)), Array("<svg/>".utf8)] as [[UInt8]] where bytes.count < file.count {
      note.expectError(.badImageData, "", "\(bytes.count) bytes without a picture") { _ = try decode(bytes) }
    }
  }

  func checkReadingLimits(_ note: FormatFindings) throws {
    let bytes = try small()
    for (name, limits) in [("side", Limits(side: 11)), ("framePixels", Limits(framePixels: 119))] {
      note.expectError(.limitExceeded, "Limits.\(name)", "A picture of 12x10 over the limit of \(name)") {
        _ = try decode(bytes, limits: limits)
      }
    }
    guard !format.keeps.isDisjoint(with: [.exif, .xmp]) else { return }
    note.expectError(.limitExceeded, "Limits.metadataBytes", "A picture with more metadata than 10 bytes") {
      _ = try decode(bytes, limits: Limits(metadataBytes: 10))
    }
  }

  func checkFloods(_ note: FormatFindings) throws {
    for (index, bytes) in format.floods.enumerated() {
      var limits = Limits()
      limits.blocks = 100
      let what = "The file \(index) of more than 100 blocks"
      note.expectError(.limitExceeded, "Raise Limits.blocks to allow it.", what) {
        _ = try decode(bytes, limits: limits)
      }
      if progressive != nil {
        note.expectError(.limitExceeded, "Limits.blocks", "\(what), in pieces,") {
          let decoder = try makeDecoder(bytes, limits: limits)
          try feed(bytes, inPiecesOf: 10) { try decoder.update($0) }
          _ = try decoder.finish(ImageBytes(bytes))
        }
      }
      limits.blocks = 1000
      let (header, image) = (try probe(bytes, limits: limits), try decode(bytes, limits: limits))
      note.expect(image.size == header.uprightSize && image.traits == [], "\(what) is decoded as \(image.size).")
    }
  }
}
