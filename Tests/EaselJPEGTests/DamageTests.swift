import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselJPEG

struct DamageTests {
  private func half(_ file: ImageBytes) throws -> ImageBytes {
    try ImageBytes(Array(Pictures.array(file)[..<(file.count / 2)]))
  }

  @Test(arguments: [false, true])
  func whatIsCutIsAnErrorOrAPart(progressive: Bool) throws {
    let image = try Image(Bitmap.waves(300, 200))
    let file = try Pictures.file(image) { $0.progressive = progressive }
    let whole = try Pictures.decode(file).bitmap
    let cut = try half(file)
    let error = #expect(throws: ImageError.self) { try Pictures.decode(cut) }
    #expect(error?.code == .badImageData)
    #expect(error?.message.hasPrefix("JPEG: ") == true)
    let part = try Pictures.decode(cut) { $0.damaged = .show }
    #expect(part.traits == .partial)
    #expect(part.size == whole.size)
    // With one scan the upper rows are exact; with several scans all rows are there, but less clear.
    if progressive {
      #expect(part.bitmap.format == .opaqueRGBA8)
      #expect(part.bitmap.signalToNoise(against: whole) > 20)
    } else {
      #expect(part.bitmap.components(7, 40) == whole.components(7, 40))
    }
  }

  @Test func missingRowsHaveTheColourOfTheLastRowWhateverWasInMemory() throws {
    let file = try Pictures.file(Image(Bitmap.waves(300, 400)))
    for size in [nil, PixelSize(width: 100, height: 100)] {
      // The pool now has used buffers.
      for _ in 0..<4 { _ = try Bitmap(300, 400, PixelColor(red: 1, green: 2, blue: 3)) }
      let part = try Pictures.decode(half(file)) {
        $0.damaged = .show
        $0.thumbnailSize = size
      }
      #expect(part.bitmap.format == .opaqueRGBA8)
      let last = part.bitmap.height - 1
      let missing = (0...last).filter { part.bitmap.row($0) == part.bitmap.row(last) }
      let above = try part.bitmap.row(#require(missing.first) - 1)
      #expect(missing.count > last / 4 && missing == Array(last + 1 - missing.count...last))
      for component in 0..<3 {
        let mean = Double(above.map { $0[component] }.reduce(0, +)) / Double(above.count)
        #expect(abs(mean - Double(part.bitmap.components(0, last)[component])) <= 0.5)
      }
      #expect(part.bitmap.components(50, 20)[3] == 255)
    }
  }

  /// A bug: rows written without their data stayed if a preview had been made before.
  @Test func whatIsCutIsTheSamePartInPieces() throws {
    let file = try Pictures.array(Pictures.file(Image(Bitmap.waves(200, 300))))
    for length in [file.count / 3, file.count / 2, file.count - 30] {
      let cut = ImageBytes(Array(file[..<length]))
      let whole = try Pictures.decode(cut) { $0.damaged = .show }
      let pieces = try Pictures.inPieces(cut, of: 333) { $0.damaged = .show }.image
      #expect(pieces.bitmap == whole.bitmap && pieces.traits == whole.traits)
    }
  }

  @Test(arguments: [false, true]) func withoutItsEndAPictureIsWhole(progressive: Bool) throws {
    let file = try Pictures.array(Pictures.file(Image(Bitmap.waves(90, 60))) { $0.progressive = progressive })
    let whole = try Pictures.decode(ImageBytes(file)).bitmap
    for end in [[], [0xFF], [0, 0], [UInt8](repeating: 0, count: 300), [0xFF, 0xE1], [0xFF, 0xFE, 1]] as [[UInt8]] {
      let cut = ImageBytes(file.dropLast(2) + end)
      let error = #expect(throws: ImageError.self) { try Pictures.decode(cut) { $0.damaged = .refuse } }
      #expect(error?.message == "JPEG: the end marker is missing.")
      for damaged in [DamagePolicy.whole, .show] {
        let image = try Pictures.decode(cut) { $0.damaged = damaged }
        #expect(image.traits == [] && image.bitmap == whole)
        #expect(image.metadata.notes == ["JPEG: the end marker is missing."])
        let pieces = try Pictures.inPieces(cut, of: 97) { $0.damaged = damaged }.image
        #expect(pieces.bitmap == whole && pieces.metadata == image.metadata)
      }
      #expect(try JPEGCoder().probe(cut, work: WorkContext()).notes == ["JPEG: the end marker is missing."])
    }
    #expect(try JPEGCoder().probe(ImageBytes(file + [1, 2, 3]), work: WorkContext()).notes.isEmpty)
  }

  /// The last pixels may need bits of a byte that is missing, or none of it.
  @Test(arguments: [false, true]) func aPictureThatLacksBitsIsNoWholeOne(progressive: Bool) throws {
    let file = try Pictures.array(Pictures.file(Image(Bitmap.waves(90, 60))) { $0.progressive = progressive })
    let whole = try Pictures.decode(ImageBytes(file)).bitmap
    for count in 3..<60 {
      let cut = ImageBytes(Array(file.dropLast(count)))
      if let image = try? Pictures.decode(cut) { #expect(image.bitmap == whole, "\(count)") }
      #expect(try Pictures.decode(cut) { $0.damaged = .show }.size == whole.size)
    }
    #expect(throws: ImageError.self) { try Pictures.decode(ImageBytes(Array(file.dropLast(40)))) }
  }

  @Test func withoutItsLastScansAPictureIsAPart() throws {
    let file = try Pictures.array(Pictures.file(Image(Bitmap.waves(90, 60))) { $0.progressive = true })
    let scans = (0..<file.count - 1).filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
    for scan in scans.dropFirst() {
      let cut = ImageBytes(Array(file[..<scan]))
      let error = #expect(throws: ImageError.self) { try Pictures.decode(cut) }
      #expect(error?.message == "JPEG: the file ends before its last scan.")
      #expect(try Pictures.decode(cut) { $0.damaged = .show }.traits == .partial)
    }
  }

  /// Some devices write wrong numbers into the headers of their scans.
  @Test func scansWhoseHeadersContradictEachOtherAreRead() throws {
    let file = try Pictures.array(Pictures.file(Image(Bitmap.waves(90, 60))) { $0.progressive = true })
    let whole = try Pictures.decode(ImageBytes(file)).bitmap
    let markers = (0..<file.count - 1).filter { file[$0] == 0xFF && file[$0 + 1] != 0 }
    // The scan with the last bits of the means of all blocks comes twice.
    let scan = try #require(
      markers.first { start in
        let end = start + 5 + 2 * Int(file[start + 4])
        return file[start + 1] == 0xDA && Array(file[end...].prefix(3)) == [0, 0, 0x10]
      })
    let next = try #require(markers.first { $0 > scan })
    let odd = file[..<next] + file[scan..<next] + file[next...]
    let image = try Pictures.decode(ImageBytes(Array(odd)))
    #expect(image.traits == [] && image.metadata.notes == ["JPEG: the headers of its scans contradict each other."])
    #expect(image.bitmap == whole)
    #expect(throws: ImageError.self) { try Pictures.decode(ImageBytes(Array(odd))) { $0.damaged = .refuse } }
    let pieces = try Pictures.inPieces(ImageBytes(Array(odd)), of: 97).image
    #expect(pieces.bitmap == image.bitmap && pieces.metadata == image.metadata)
  }

  /// Zeros are codes too, and the fewer bits they need the more of a picture they fill.
  @Test func zerosThatBeginInThePixelsAreDamage() throws {
    let file = try Pictures.array(Pictures.file(Image(Bitmap.waves(90, 60))))
    for count in [30, 100, 200, 400] {
      for more in [0, 1, 4000] {
        let cleared = ImageBytes(file.dropLast(count) + [UInt8](repeating: 0, count: count + more))
        #expect(throws: ImageError.self, "\(count), \(more)") { try Pictures.decode(cleared) }
        #expect(try Pictures.decode(cleared) { $0.damaged = .show }.traits.contains(.partial))
      }
    }
  }

  /// With few codes, those of a flat area are zeros.
  @Test func aFlatAreaIsNoTailOfZeros() throws {
    let flat = try Bitmap(160, 160, .opaqueRGBA8) { x, y in y < 8 ? [x, 255 - x, 7 * y, 255] : [250, 250, 250, 255] }
    let file = try Pictures.array(Pictures.file(Image(flat)) { $0.progressive = true })
    let cut = try Pictures.decode(ImageBytes(Array(file.dropLast(2))))
    #expect(try cut.bitmap == Pictures.decode(ImageBytes(file)).bitmap && cut.metadata.notes.count == 1)
    let cleared = try Pictures.decode(ImageBytes(file.dropLast(2) + [UInt8](repeating: 0, count: 300)))
    #expect(cleared.bitmap == cut.bitmap)
  }

  @Test func whatFollowsTheEndIsIgnored() throws {
    let file = try Pictures.file(Image(Pictures.corners(32, 32))).array
    let longer = try Pictures.decode(ImageBytes(file + file + [1, 2, 3]))
    #expect(try longer.bitmap == Pictures.decode(ImageBytes(file)).bitmap)
    #expect(longer.traits == [])
  }

  /// A bug: a second frame header replaced the first before the library refused it, and rows were made with it.
  @Test func aSecondFrameHeaderThatIsCutChangesNothing() throws {
    let file = try Pictures.array(Pictures.file(Image(Bitmap.waves(90, 60))) { $0.progressive = true })
    let scans = (0..<file.count - 1).filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
    let header: [UInt8] = [0xFF, 0xC0, 0, 20, 8, 0xFF, 0xFF, 0xFF, 0xFF, 200, 1, 0x44]
    for scan in scans.dropFirst() {
      let decoder = try #require(
        try JPEGCoder().makeDecoder(prefix: file, options: DecodeOptions(), work: WorkContext()))
      let bytes = Array(file[..<scan]) + header
      var latest: Bitmap?
      for end in stride(from: scan - 60, through: bytes.count, by: 1) {
        try decoder.update(ImageBytes(Array(bytes[..<end])))
        latest = try decoder.preview()?.bitmap ?? latest
      }
      #expect(latest?.size == PixelSize(width: 90, height: 60))
    }
  }

  /// A bug: an error after a scan gave another picture if rows of that scan had been shown before.
  @Test func anErrorBetweenScansGivesTheSameInPieces() throws {
    let file = try Pictures.array(Pictures.file(Image(Bitmap.waves(90, 60))) { $0.progressive = true })
    let scans = (0..<file.count - 1).filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
    #expect(scans.count > 5)
    for scan in scans.dropFirst() {
      for marker: [UInt8] in [[0xFF, 0xBD], [0xFF, 0xC0, 0, 2], [0xFF, 0xD8]] {
        let broken = ImageBytes(Array(file[..<scan]) + marker + file[scan...])
        for damaged in DamagePolicy.allCases {
          let whole = try? Pictures.decode(broken) { $0.damaged = damaged }
          #expect((whole != nil) == (damaged == .show))
          let pieces = try? Pictures.inPieces(broken, of: 97) { $0.damaged = damaged }.image
          #expect(whole?.bitmap == pieces?.bitmap && whole?.traits == pieces?.traits)
        }
      }
    }
  }

  @Test(arguments: [0xC3, 0xC5, 0xCB, 0xCF])
  func otherProcessesAreLeftToOtherCoders(process: Int) throws {
    var file = try Pictures.array(Pictures.file(Image(Pictures.corners(32, 32))))
    let frame = try #require((0..<file.count - 1).first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
    file[frame + 1] = UInt8(process)
    let error = #expect(throws: ImageError.self) { try Pictures.decode(ImageBytes(file)) }
    #expect(error?.code == .unsupportedFormat)
    file[frame + 1] = 0xC1
    file[frame + 4] = 12
    let deep = #expect(throws: ImageError.self) { try JPEGCoder().probe(ImageBytes(file), work: WorkContext()) }
    #expect(deep?.code == .unsupportedFormat)
  }

  // MARK: Limits

  private func error(_ file: ImageBytes, _ change: (inout Limits) -> Void) throws -> ImageError? {
    var limits = Limits()
    change(&limits)
    return #expect(throws: ImageError.self) {
      try JPEGCoder().decode(file, options: DecodeOptions(), work: WorkContext(limits: limits))
    }
  }

  @Test func limitsHoldBeforeMemoryIsTaken() throws {
    let image = try Image(Pictures.corners(64, 64))
    let file = try Pictures.file(image)
    #expect(try error(file) { $0.framePixels = 4095 }?.code == .limitExceeded)
    #expect(try error(file) { $0.side = 63 }?.code == .limitExceeded)
    #expect(try error(file) { $0.decodeTime = .zero }?.code == .limitExceeded)
    let progressive = try Pictures.file(image) { $0.progressive = true }
    // Of three bytes of coefficients for each pixel, where the limit counts eight.
    let refused = try error(progressive) { $0.progressiveJPEGPixels = 3 * 4096 / 8 - 1 }
    #expect(refused?.code == .limitExceeded)
    #expect(refused?.message.contains("Limits.progressiveJPEGPixels") == true)
    let fine = try Pictures.file(image) {
      $0.progressive = true
      $0.chromaSubsampling = .full
    }
    #expect(try error(fine) { $0.progressiveJPEGPixels = 6 * 4096 / 8 - 1 }?.code == .limitExceeded)
    var limits = Limits()
    for (file, bytes) in [(progressive, 3), (fine, 6)] {
      limits.progressiveJPEGPixels = bytes * 4096 / 8
      #expect(throws: Never.self) {
        try JPEGCoder().decode(file, options: DecodeOptions(), work: WorkContext(limits: limits))
      }
    }
    limits.progressiveJPEGPixels = 1
    #expect(throws: Never.self) {
      try JPEGCoder().decode(file, options: DecodeOptions(), work: WorkContext(limits: limits))
    }
    let block = Pictures.segment(0xE1, JPEGScanner.xmpMarker + [UInt8](repeating: 32, count: 5000))
    let large = try Pictures.inserting([block], into: file)
    #expect(try error(large) { $0.metadataBytes = 4999 }?.code == .limitExceeded)
  }

  @Test func aBombOfScansIsRefused() throws {
    var file = try Pictures.array(Pictures.file(Image(Pictures.corners(64, 64))) { $0.progressive = true })
    file.removeLast(2)
    // The same scan is repeated: a file may refine the last bits of a component any number of times.
    let start = try #require((0..<file.count - 1).last { file[$0] == 0xFF && file[$0 + 1] == 0xDA })
    let scan = file[start...]
    for _ in 0..<300 { file += scan }
    file += [0xFF, 0xD9]
    for damaged in DamagePolicy.allCases {
      let error = #expect(throws: ImageError.self) {
        try Pictures.decode(ImageBytes(file)) { $0.damaged = damaged }
      }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test(.tags(.alone)) func nothingIsPrinted() async throws {
    let child = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      // Each kind of damage makes the library print a message.
      let file = try Pictures.array(Pictures.file(Image(Bitmap.waves(64, 64))))
      var random = SeededRandom(seed: 3)
      for _ in 0..<200 {
        var damaged = file
        for _ in 0..<4 {
          damaged[Int.random(in: 2..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        _ = try? Pictures.decode(ImageBytes(damaged)) { $0.damaged = .show }
      }
    }
    #expect(String(decoding: child.standardErrorContent, as: UTF8.self) == "")
  }
}

extension Bitmap {
  fileprivate func row(_ y: Int) -> [[Int]] { (0..<width).map { components($0, y) } }
}
