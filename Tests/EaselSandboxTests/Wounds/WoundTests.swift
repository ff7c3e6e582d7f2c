import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselSandbox

/// Wounds of all kinds, at all levels of the setting for damaged pictures.
struct WoundTests {
  @Test func thereAreAtLeastThirtyKinds() {
    let names = Set(WoundedFiles.all.map(\.name))
    #expect(names.count == WoundedFiles.all.count && names.count >= 30)
    #expect(Set(WoundedFiles.all.map(\.coder.identifier)).count >= 10)
  }

  @Test(arguments: WoundedFiles.all) func anyWoundIsRefusedOnRequest(_ file: WoundedFile) throws {
    #expect(try WoundedFile.decoded(ImageBytes(file.sound), .refuse, by: file.coder)?.metadata.notes == [])
    #expect(try file.decoded(.refuse) == nil)
  }

  @Test(arguments: WoundedFiles.all) func whoeverHasAllPixelsIsShown(_ file: WoundedFile) throws {
    let sound = try #require(try WoundedFile.decoded(ImageBytes(file.sound), .whole, by: file.coder))
    let image = try file.decoded(.whole)
    guard file.remains == .all else {
      // A library may have everything that it needs.
      if let image { #expect(file.remains == .whatTheLibraryGives && image.bitmap == sound.bitmap) }
      return
    }
    let shown = try #require(image)
    #expect(shown.bitmap == sound.bitmap && shown.traits == sound.traits)
    #expect(shown.metadata.notes.count == 1)
    #expect(shown.frames?.count == sound.frames?.count)
    for index in 0..<(sound.frames?.count ?? 0) {
      #expect(try shown.frames?.frame(at: index) == sound.frames?.frame(at: index))
    }
    let header = try file.coder.probe(ImageBytes(file.bytes), work: WorkContext())
    #expect(header.notes.isEmpty != file.isNotedInHeader)
  }

  @Test(arguments: WoundedFiles.all) func whatIsThereIsShownOnRequest(_ file: WoundedFile) throws {
    let sound = try #require(try WoundedFile.decoded(ImageBytes(file.sound), .whole, by: file.coder))
    let image = try file.decoded(.show)
    if file.remains == .whatTheLibraryGives && image == nil { return }
    let shown = try #require(image)
    #expect(shown.size == sound.size && !shown.metadata.notes.isEmpty)
    switch file.remains {
    case .all: #expect(shown.bitmap == sound.bitmap && shown.traits == sound.traits)
    case .something: #expect(shown.traits.contains(.partial))
    case .whatTheLibraryGives: #expect(shown.traits.contains(.partial) || shown.bitmap == sound.bitmap)
    case .upperRows(let blurred):
      #expect(shown.traits.contains(.partial))
      let equal = shown.bitmap.equalRows(sound.bitmap)
      let there = shown.bitmap.height - shown.bitmap.rowsLikeTheLast
      #expect(there > 0 && there < shown.bitmap.height && equal > 0 && equal >= there - blurred)
    }
  }

  @Test(arguments: WoundedFiles.all) func eachLevelShowsWhatTheOneBeforeShows(_ file: WoundedFile) throws {
    let images = try DamagePolicy.allCases.map { try file.decoded($0) }
    for (stricter, milder) in zip(images, images.dropFirst()) {
      guard let stricter else { continue }
      #expect(milder?.bitmap == stricter.bitmap && milder?.traits == stricter.traits)
    }
  }

  @Test(arguments: WoundedFiles.all) func theWayOfTheBytesDecidesNothing(_ file: WoundedFile) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "easel-wound-\(UUID())").path
    try Data(file.bytes).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    for damaged in DamagePolicy.allCases {
      let expected = try file.decoded(damaged)
      var others = [try WoundedFile.decoded(ImageBytes(contentsOfFile: path), damaged, by: file.coder)]
      for length in [97, 1000] { others.append(try file.decodedInPieces(of: length, damaged)) }
      for other in others { expectSame(other, expected, damaged) }
    }
  }

  @Test(.tags(.alone), arguments: WoundedFiles.all) func inTheSandboxItIsTheSame(_ file: WoundedFile) throws {
    let sandboxed = SandboxTesting.sandboxed(file.coder)
    for damaged in DamagePolicy.allCases {
      expectSame(try file.decoded(damaged, by: sandboxed), try file.decoded(damaged), damaged)
    }
    let bytes = ImageBytes(file.bytes)
    let header = try? file.coder.probe(bytes, work: WorkContext())
    #expect((try? sandboxed.probe(bytes, work: WorkContext()))?.notes == header?.notes)
  }

  private func expectSame(_ image: Image?, _ expected: Image?, _ damaged: DamagePolicy) {
    #expect(image?.bitmap == expected?.bitmap && image?.traits == expected?.traits, "\(damaged)")
    #expect(image?.metadata.notes == expected?.metadata.notes, "\(damaged)")
    #expect(image?.frames?.count == expected?.frames?.count, "\(damaged)")
  }

  /// The words of the guide for what is shown of a file at a level.
  private func word(_ file: WoundedFile, _ damaged: DamagePolicy) throws -> String {
    guard let image = try file.decoded(damaged) else { return "-" }
    return image.traits.contains(.partial) ? "part" : "all"
  }

  @Test func theGuideTellsWhatIsShown() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../../Sources/Easel/Easel.docc/DamagedPictures.md")
    let rows = try String(contentsOf: page.standardized, encoding: .utf8).split(separator: "\n")
    for file in WoundedFiles.all {
      let row = "| \(file.name) | \(try word(file, .whole)) | \(try word(file, .show)) |"
      #expect(rows.contains { $0.hasPrefix(row) }, "\(row)")
    }
  }

  /// Writes the files where other readers can be asked about them, for the table of the guide.
  @Test(.enabled(if: folder != nil, "EASEL_WRITE_WOUNDS names no folder."))
  func theFilesAreWritten() throws {
    let folder = try #require(Self.folder)
    var table = ""
    for (index, file) in WoundedFiles.all.enumerated() {
      let ending = file.coder.usualExtensions(of: file.coder.formats[0])[0]
      let names = ["\(index).\(ending)", "\(index)-sound.\(ending)"]
      for (name, bytes) in zip(names, [file.bytes, file.sound]) {
        try Data(bytes).write(to: URL(filePath: folder).appending(path: name))
      }
      let words = [try word(file, .whole), try word(file, .show)]
      let sound = try #require(try WoundedFile.decoded(ImageBytes(file.sound), .whole, by: file.coder))
      let rows = try file.decoded(.show).map { $0.bitmap.equalRows(sound.bitmap) } ?? 0
      table += ([file.name] + names + words + ["\(rows)"]).joined(separator: "\t") + "\n"
    }
    try Data(table.utf8).write(to: URL(filePath: folder).appending(path: "files.tsv"))
    #expect(FileManager.default.fileExists(atPath: folder + "/files.tsv"))
  }

  private static let folder = ProcessInfo.processInfo.environment["EASEL_WRITE_WOUNDS"]
}

extension Bitmap {
  fileprivate func row(_ y: Int) -> [UInt8] {
    withUnsafeBytes { Array($0[y * bytesPerRow..<y * bytesPerRow + width * format.bytesPerPixel]) }
  }

  /// The number of rows from the top that are equal.
  fileprivate func equalRows(_ other: Bitmap) -> Int {
    (0..<height).first { row($0) != other.row($0) } ?? height
  }

  /// The number of rows at the bottom that are equal to the last one, as missing rows are.
  fileprivate var rowsLikeTheLast: Int {
    let last = row(height - 1)
    return (0..<height).reversed().prefix { row($0) == last }.count
  }
}
