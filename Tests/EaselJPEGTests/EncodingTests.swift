import CEaselColorFixtures
import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselJPEG

struct EncodingTests {
  private func markers(_ file: ImageBytes) throws -> Set<UInt8> {
    let bytes = try Pictures.array(file)
    return Set((0..<bytes.count - 1).filter { bytes[$0] == 0xFF }.map { bytes[$0 + 1] })
  }

  @Test(arguments: [(0.5, 33.0), (0.8, 36.0), (0.95, 41.0), (1, 46.0)])
  func whatIsWrittenReadsNearlyTheSame(quality: Double, least: Double) throws {
    let bitmap = try Bitmap.waves(160, 120)
    for progressive in [false, true] {
      let file = try Pictures.file(Image(bitmap)) {
        $0.quality = quality
        $0.progressive = progressive
        $0.chromaSubsampling = .full
      }
      let noise = try Pictures.decode(file).bitmap.signalToNoise(against: bitmap)
      #expect(noise >= least, "\(noise) dB")
      #expect(try markers(file).contains(progressive ? 0xC2 : 0xC0))
    }
  }

  @Test func lessQualityIsASmallerFile() throws {
    let image = try Image(Bitmap.waves(160, 120))
    let sizes = try [0, 0.1, 0.5, 0.8, 1].map { quality in try Pictures.file(image) { $0.quality = quality }.count }
    #expect(sizes == sizes.sorted() && Set(sizes).count == 5)
    #expect(try Pictures.file(image) { $0.quality = .nan }.count == sizes[0])
    #expect(try Pictures.file(image) { $0.quality = 7 }.count == sizes[4])
  }

  @Test func coarserColourIsASmallerFile() throws {
    let image = try Image(Bitmap.waves(160, 120))
    let samplings: [EncodeOptions.ChromaSubsampling] = [.quarter, .halfWidth, .full]
    let files = try samplings.map { sampling in try Pictures.file(image) { $0.chromaSubsampling = sampling } }
    #expect(files.map(\.count) == files.map(\.count).sorted())
    let factors = try files.map { file -> UInt8 in
      let bytes = try Pictures.array(file)
      let frame = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
      return bytes[frame + 11]
    }
    #expect(factors == [0x22, 0x21, 0x11])
  }

  @Test func greyIsWrittenAsGrey() throws {
    let colors = try Bitmap(40, 30, .opaqueRGBA8) { x, y in [x * 6, x * 6, x * 6, 255] }
    let bytes = try Pictures.array(Pictures.file(Image(colors)))
    let frame = try #require((0..<bytes.count - 1).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    #expect(bytes[frame + 9] == 1)
    #expect(try Pictures.decode(ImageBytes(bytes)).bitmap.signalToNoise(against: colors) > 40)
  }

  @Test func whatIsTransparentShowsTheBackground() throws {
    let clear = try Bitmap(16, 16, .rgba8) { _, _ in [255, 0, 0, 0] }
    let white = try Pictures.decode(Pictures.file(Image(clear))).bitmap
    #expect(white.components(8, 8) == [255, 255, 255, 255])
    let blue = try Pictures.decode(
      Pictures.file(Image(clear)) { $0.backgroundColor = PixelColor(red: 0, green: 0, blue: 255) }
    ).bitmap
    #expect(abs(blue.components(8, 8)[2] - 255) <= 3 && blue.components(8, 8)[0] <= 3)
    let half = try Bitmap(16, 16, .rgba8) { _, _ in [255, 0, 0, 128] }
    #expect(abs(try Pictures.decode(Pictures.file(Image(half))).bitmap.components(8, 8)[1] - 127) <= 3)
  }

  @Test func everyPixelFormatIsWritten() throws {
    let waves = try Bitmap.waves(64, 48)
    let formats: [PixelFormat] = [
      .rgba8, .opaqueRGBA8, .rgba16, PixelFormat(.bgra8, alpha: .opaque), PixelFormat(.rgba8, alpha: .premultiplied),
    ]
    for format in formats {
      let file = try Pictures.file(Image(waves.converted(to: format))) { $0.quality = 0.95 }
      #expect(try Pictures.decode(file).bitmap.signalToNoise(against: waves) > 34, "\(format)")
    }
  }

  // MARK: Limits of the file

  @Test func qualityIsLoweredBeforeSize() throws {
    let image = try Image(Bitmap.waves(320, 240))
    let whole = try Pictures.file(image) { $0.quality = 0.9 }.count
    let file = try Pictures.file(image) {
      $0.quality = 0.9
      $0.maxFileBytes = whole / 2
    }
    #expect(file.count <= whole / 2 && file.count > whole / 3)
    #expect(try Pictures.decode(file).size == image.size)
    let tiny = try Pictures.file(image) { $0.maxFileBytes = 1500 }
    #expect(tiny.count <= 1500)
    #expect(try Pictures.decode(tiny).size.width < 320)
    let error = #expect(throws: ImageError.self) { try Pictures.file(image) { $0.maxFileBytes = 100 } }
    #expect(error?.code == .encodeFailed)
  }

  // MARK: Metadata

  private func described() throws -> Image {
    var image = try Image(Pictures.corners(24, 16))
    image.metadata.exif = EXIF(orientation: .down).bytes
    image.metadata.xmp = Data("<x/>".utf8)
    image.metadata.density = ImageMetadata.Density(horizontal: 72, vertical: 96)
    return image
  }

  @Test func blocksThatNoSegmentHoldsAreLeftOut() throws {
    var image = try described()
    image.metadata.xmp = Data(count: 70_000)
    image.metadata.exif = EXIF(orientation: .up).bytes + Data(count: 70_000)
    image.metadata.orientation = .left
    let kept = try Pictures.decode(Pictures.file(image) { $0.keepsMetadata = true })
    #expect(kept.metadata.xmp == nil)
    #expect(kept.size == PixelSize(width: 16, height: 24))
  }

  @Test func aProfileTooLargeForTheFormatIsAnError() throws {
    var image = try Image(Pictures.corners(8, 8))
    image.metadata.iccProfile = Data(count: 17 << 20)
    let error = #expect(throws: ImageError.self) { try Pictures.file(image) }
    #expect(error?.code == .encodeFailed)
  }

  @Test func aProfileFitsThePixelsThatAreWritten() throws {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = easel_make_icc_profile(nil, 1.8, &bytes, bytes.count)
    let gray = Data(bytes[..<count])
    var image = try Image(Bitmap(16, 16, .opaqueRGBA8) { x, _ in [x * 16, x * 16, x * 16, 255] })
    image.metadata.iccProfile = gray
    let raw = try Pictures.decode(Pictures.file(image)) { $0.convertsColor = false }
    #expect(raw.metadata.iccProfile == gray)
    image.bitmap = try Pictures.corners(16, 16)
    let colors = try Pictures.decode(Pictures.file(image)) { $0.convertsColor = false }
    #expect(colors.metadata.iccProfile == nil)
  }

  // MARK: Other programs

  @Test(.tags(.alone), .enabled(if: Djpeg.isThere, "There is no djpeg here to read with."))
  func theReferenceProgramReadsWhatIsWritten() throws {
    var image = try described()
    image.metadata.iccProfile = Data(count: 100_000)
    let file = try Pictures.file(image) {
      $0.keepsMetadata = true
      $0.progressive = true
    }
    #expect(try Djpeg.colors(of: file) == Pictures.decode(file) { $0.appliesOrientation = false }.bitmap.colors)
  }

  @Test(.tags(.alone), .enabled(if: Pillow.isThere, "$EASEL_PYTHON names no Python with Pillow to read with."))
  func pillowReadsWhatIsWritten() throws {
    var image = try described()
    image.metadata.orientation = .right
    image.metadata.iccProfile = Data((0..<70_000).map { UInt8($0 % 251) })
    let file = try Pictures.file(image) {
      $0.keepsMetadata = true
      $0.quality = 0.9
    }
    let script = """
      import sys, io
      from PIL import Image
      im = Image.open(io.BytesIO(sys.stdin.buffer.read()))
      im.load()
      print(im.size, im.mode, im.getexif().get(0x112), len(im.info['icc_profile']), im.info['dpi'], im.info['xmp'])
      """
    let output = try #require(Pillow.run(script, input: Pictures.array(file)))
    #expect(output == "(24, 16) RGB 6 70000 (72, 96) b'<x/>'\n")
  }
}

/// The Python interpreter with Pillow.
enum Pillow {
  private static let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"]

  static let isThere = run("import PIL", input: []) != nil

  static func run(_ script: String, input: [UInt8]) -> String? {
    guard let python else { return nil }
    return EaselTestPixels.Process.output(of: [python, "-c", script], input: input).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
