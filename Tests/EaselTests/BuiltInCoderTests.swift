import EaselEverything
import EaselTestSupport
import FoundationEssentials
import Testing

/// The built-in coders with metadata in pictures, each alone and through the registry.
struct BuiltInCoderTests {
  private static let exif = Data(
    [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x0f, 1, 2, 0, 4, 0, 0, 0, 0x4d, 0x65, 0x21, 0, 0, 0, 0, 0])
  private static let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'>somewhere</x:xmpmeta>".utf8)

  private func picture() throws -> Image {
    var bitmap = try Bitmap(size: PixelSize(width: 24, height: 18), format: .opaqueRGBA8)
    let bytesPerRow = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<18 {
        for place in 0..<24 * 4 { bytes[y * bytesPerRow + place] = place % 4 == 3 ? 255 : UInt8(y * 8 + place) }
      }
    }
    let metadata = ImageMetadata(
      storedSize: bitmap.size, orientation: .right, exif: Self.exif, xmp: Self.xmp,
      density: ImageMetadata.Density(horizontal: 144, vertical: 144))
    return Image(bitmap, metadata: metadata)
  }

  private func sample(_ coder: any EncodingCoder, _ format: ImageFormat, signature: [Range<Int>]) throws -> ImageSample
  {
    var options = EncodeOptions()
    options.keepsMetadata = true
    let bytes = try coder.encode(picture(), as: format, options: options, work: WorkContext())
    let image = try coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
    #expect(image.metadata.xmp != nil || image.metadata.exif != nil || format == .gif)
    return ImageSample("\(format)", bytes: Array(try bytes.data()), signature: signature)
  }

  @Test(
    arguments: [
      (PNGCoder(), ImageFormat.png, [0..<8]), (JPEGCoder(), .jpeg, [0..<3]), (WebPCoder(), .webp, [0..<4, 8..<12]),
      (GIFCoder(), .gif, [0..<6]),
    ] as [(any EncodingCoder & ProgressiveImageCoder, ImageFormat, [Range<Int>])])
  func picturesWithMetadataKeepTheContract(
    coder: any EncodingCoder & ProgressiveImageCoder, format: ImageFormat, signature: [Range<Int>]
  ) async throws {
    let samples = [try sample(coder, format, signature: signature)]
    #expect(await ImageCoderContract(coder, samples: samples).check() == [])
    #expect(await ProgressiveCoderContract(coder, samples: samples).check() == [])
  }

  @Test func anAVIFWithMetadataKeepsTheContract() async throws {
    let samples = [try sample(AVIFCoder(), .avif, signature: [4..<8])]
    #expect(await ImageCoderContract(AVIFCoder(), samples: samples).check() == [])
  }

  @Test func aTIFFWithMetadataKeepsTheContract() async throws {
    let samples = [try sample(TIFFCoder(), .tiff, signature: [0..<4])]
    #expect(await ImageCoderContract(TIFFCoder(), samples: samples).check() == [])
  }

  @Test func picturesOfTheBasicFormatsAreReadThroughTheRegistry() throws {
    let image = try picture()
    let upright = try Image(image.bitmap.oriented(.right))
    for format in [ImageFormat.qoi, .pnm, .bmp, .ico] {
      let bytes = try CoderRegistry.everything.encode(image, as: format, options: EncodeOptions(), work: WorkContext())
      #expect(try ImageFormat(of: bytes) == format)
      let again = try CoderRegistry.everything.decode(bytes, options: DecodeOptions(), work: WorkContext())
      #expect(again.bitmap == upright.bitmap, "\(format)")
      #expect(try CoderRegistry.everything.metadataBytes(of: bytes, work: WorkContext()) == 0)
    }
  }

  @Test func theRegistryKeepsTheContract() async throws {
    let registry = CoderRegistry.everything
    let samples = try [
      sample(registry, .png, signature: [0..<8]), sample(registry, .webp, signature: [0..<4, 8..<12]),
    ]
    #expect(await ImageCoderContract(registry, samples: samples).check() == [])
  }
}
