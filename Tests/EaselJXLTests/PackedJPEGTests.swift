import EaselCoding
import EaselCore
import EaselJPEG
import EaselManager
import EaselTestPixels
import EaselTiers
import FoundationEssentials
import Testing

@testable import EaselJXL

/// JPEGs that become JPEG XL without loss, where nothing but the format is to change.
struct PackedJPEGTests {
  private typealias T = JXLTesting

  /// The JPEG XL that a manager makes of a JPEG.
  private func converted(
    _ jpeg: ImageBytes, _ options: EncodeOptions = EncodeOptions(), _ context: ImageContext = []
  ) throws -> ImageBytes {
    let manager = ImageManager(
      .init(loader: LoaderChain([]), coder: CoderRegistry([JPEGCoder(), T.coder]), cache: TieredCache()))
    let recipe = EncodeRecipe(.jxl, options: options)
    let made = try manager.encodedByThisThread(from: jpeg, as: recipe, context: context)
    #expect(made.format == .jxl)
    return made.bytes
  }

  private func restored(_ file: ImageBytes) throws -> [UInt8]? { try T.coder.jpeg(in: file)?.array }

  /// A JPEG with EXIF and XMP.
  private func jpegWithMetadata(turned turn: ImageMetadata.Orientation = .up) throws -> ImageBytes {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 301, height: 203))
    metadata.orientation = turn
    metadata.exif = EXIF(orientation: turn).bytes
    metadata.xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    return try JPEGCoder().encode(
      Image(.waves(301, 203), metadata: metadata), as: .jpeg, options: EncodeOptions(keepsMetadata: true),
      work: WorkContext())
  }

  @Test(arguments: [false, true], [false, true])
  func aJPEGGoesOutPacked(progressive: Bool, keepsMetadata: Bool) throws {
    let jpeg = try T.jpeg(.waves(301, 203), progressive: progressive)
    let file = try converted(jpeg, EncodeOptions(keepsMetadata: keepsMetadata))
    #expect(file.count < jpeg.count)
    #expect(try restored(file) == jpeg.array)
    #expect(try T.coder.metadataBytes(of: file, work: WorkContext()) == 0)
  }

  @Test func aGrayJPEGIsPackedToo() throws {
    let jpeg = try T.jpeg(.noise(64, 48, .gray8))
    let file = try converted(jpeg)
    #expect(try restored(file) == jpeg.array)
    let shown = try JPEGCoder().decode(jpeg, options: DecodeOptions(), work: WorkContext())
    #expect(try T.decode(file).bitmap.signalToNoise(against: shown.bitmap) > 35)
  }

  @Test func metadataGoOnlyWhereTheyMayStay() throws {
    let jpeg = try jpegWithMetadata()
    #expect(try restored(converted(jpeg, EncodeOptions(keepsMetadata: true))) == jpeg.array)
    let file = try converted(jpeg)
    #expect(try T.coder.metadataBytes(of: file, work: WorkContext()) == 0)
    let bare = ImageBytes(try #require(try restored(file)))
    #expect(try JPEGCoder().metadataBytes(of: bare, work: WorkContext()) == 0)
    let (options, work) = (DecodeOptions(), WorkContext())
    let (one, other) = try (
      JPEGCoder().decode(jpeg, options: options, work: work), JPEGCoder().decode(bare, options: options, work: work)
    )
    #expect(one.bitmap == other.bitmap)
  }

  @Test func aTurnedJPEGIsPackedOnlyWithWhatTurnsIt() throws {
    let jpeg = try jpegWithMetadata(turned: .left)
    let file = try converted(jpeg, EncodeOptions(keepsMetadata: true))
    #expect(try restored(file) == jpeg.array)
    #expect(try T.coder.probe(file, work: WorkContext()).orientation == .left)
    let upright = try converted(jpeg)
    #expect(try restored(upright) == nil)
    #expect(try T.coder.probe(upright, work: WorkContext()).uprightSize == PixelSize(width: 203, height: 301))
  }

  @Test func whatIsAskedForIsEncoded() throws {
    let jpeg = try T.jpeg(.waves(301, 203))
    #expect(try restored(converted(jpeg, EncodeOptions(quality: 0.8))) == nil)
    #expect(try restored(converted(jpeg, EncodeOptions(lossless: true))) == nil)
    var effort = EncodeOptions()
    effort.settings[.jxlEffort] = 2
    #expect(try restored(converted(jpeg, effort)) == nil)
    let small: ImageContext = [.thumbnailSize(PixelSize(width: 100, height: 100))]
    #expect(try restored(converted(jpeg, EncodeOptions(), small)) == nil)
  }

  @Test func aJPEGThatCannotBePackedIsEncoded() throws {
    // The picture ends early, and is shown as far as it goes.
    let cut = ImageBytes(try T.jpeg(.waves(301, 203)).array.dropLast(400))
    let context: ImageContext = [.damaged(.show)]
    #expect(try restored(converted(cut, EncodeOptions(), context)) == nil)
    #expect(try T.coder.repacked(cut, as: .jxl, withMetadata: true, work: WorkContext()) == nil)
    let other = try T.encode(Image(.waves(64, 48)))
    #expect(try T.coder.repacked(other, as: .jxl, withMetadata: true, work: WorkContext()) == nil)
  }

  // MARK: Without metadata

  @Test func onlyThePictureAndItsProfileStay() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 64, height: 48))
    metadata.iccProfile = Data((0..<700).map { UInt8(truncatingIfNeeded: $0) })
    let options = EncodeOptions(keepsMetadata: true)
    let jpeg = try JPEGCoder().encode(
      Image(.waves(64, 48), metadata: metadata), as: .jpeg, options: options, work: WorkContext())
    #expect(try BareJPEG.file(of: jpeg).map { Array($0) } == jpeg.array)
    var full = jpeg
    for code in [0xE1, 0xE2, 0xE5, 0xED, 0xEF, 0xFE] as [UInt8] {
      full = try full.with(segment: code, Array("remarks of a camera".utf8))
    }
    full = try ImageBytes(full.array + Array("a tail".utf8))
    #expect(full.count > jpeg.count)
    #expect(try BareJPEG.file(of: full).map { Array($0) } == jpeg.array)
  }

  @Test func damagedAndOtherFilesHaveNone() throws {
    let whole = try jpegWithMetadata().array
    for count in stride(from: whole.count - 1, to: 0, by: -3) {
      #expect(try BareJPEG.file(of: ImageBytes(Array(whole[..<count]))) == nil)
    }
    for place in whole.indices {
      var damaged = whole
      damaged[place] ^= 0xFF
      _ = try BareJPEG.file(of: ImageBytes(damaged))
    }
  }

  @Test func aPictureInScansStaysWhole() throws {
    let jpeg = try T.jpeg(.noise(97, 61, .opaqueRGBA8), progressive: true)
    #expect(try BareJPEG.file(of: jpeg).map { Array($0) } == jpeg.array)
  }
}

extension ImageBytes {
  /// A JPEG with one more segment, behind its start.
  func with(segment code: UInt8, _ content: [UInt8]) throws -> ImageBytes {
    let count = content.count + 2
    let head = [0xFF, 0xD8, 0xFF, code, UInt8(count >> 8), UInt8(count & 255)]
    return try ImageBytes(head + content + array.dropFirst(2))
  }
}
