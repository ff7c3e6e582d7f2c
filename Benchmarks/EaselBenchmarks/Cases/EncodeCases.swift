import CEaselCodecBaseline
import EaselEverything
import EaselBenchmarkHarness
import Glibc

/// A picture of 2 MP to a file in memory, with Easel's default settings.
///
/// The C libraries get the same settings. If both write the same format, the case fails when Easel's file is more than
/// a hundredth larger (a tenth at a fast level), because smaller files cost time.
func encodeCases() -> [BenchmarkCase] {
  [
    libraryCase("JPEG", .jpeg, "libjpeg-turbo") { easel_baseline_encode_jpeg($0, $1, $2, 80, $3, $4) },
    // A server writes pictures of this size most. Half of the time goes into the choice of coefficients, for a sixth fewer bytes.
    libraryCase("JPEG", .jpeg, "libjpeg-turbo", atMost: 3, of: thumbnail, size: "500 pixels") {
      easel_baseline_encode_jpeg($0, $1, $2, 80, $3, $4)
    },
    libraryCase("PNG", .png, "libpng", atMost: 0.35) { easel_baseline_encode_png($0, $1, $2, 6, $3, $4) },
    libraryCase("PNG", .png, "libpng", atMost: 0.35, of: screen) { easel_baseline_encode_png($0, $1, $2, 6, $3, $4) },
    // The level at which a disk cache writes, against the usual one of libpng.
    libraryCase("PNG, fast", .png, "libpng", atMost: 0.05, level: 2, larger: 1.1) {
      easel_baseline_encode_png($0, $1, $2, 6, $3, $4)
    },
    libraryCase("WebP", .webp, "libwebp", atMost: 1.0) { easel_baseline_encode_webp($0, $1, $2, 80, $3, $4) },
    pillowCase("JPEG", .jpeg, #"image.save(target, "JPEG", quality=80)"#),
    pillowCase("PNG", .png, #"image.save(target, "PNG", compress_level=6)"#),
    pillowCase("WebP", .webp, atMost: 1.0, #"image.save(target, "WEBP", quality=80)"#),
    // Both choose 256 colours and give each pixel the nearest one.
    pillowCase("GIF", .gif, #"image.quantize(256, Image.Quantize.MEDIANCUT).save(target, "GIF")"#),
  ]
}

private typealias Encoder = (
  UnsafePointer<UInt8>?, CInt, CInt, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>
) -> Bool

private let photo = BenchmarkPicture(.photo, .png, 1600, 1250)
private let thumbnail = BenchmarkPicture(.photo, .png, 500, 375)
private let screen = BenchmarkPicture(.screen, .png, 1600, 1250)

private func libraryCase(
  _ name: String, _ format: ImageFormat, _ library: String, atMost bar: Double? = nil,
  of picture: BenchmarkPicture = photo, size: String = "2 MP", level: Int = 6, larger: Double = 1.01,
  _ encode: @escaping Encoder
) -> BenchmarkCase {
  BenchmarkCase("a \(picture.content) of \(size) as \(name)", group: "encode", against: library, atMost: bar) {
    let bitmap = try picture.bitmap()
    let baseline = { try fileSize(bitmap, encode) }
    let (own, other) = (try easel(bitmap, format, level: level), try baseline())
    guard Double(own) <= Double(other) * larger else {
      throw JobFailure(description: "Easel's \(name) has \(own) bytes, that of \(library) \(other)")
    }
    return BenchmarkPair(
      subject: .call { blackHole(try easel(bitmap, format, level: level)) },
      baseline: .call { blackHole(try baseline()) })
  }
}

private func pillowCase(
  _ name: String, _ format: ImageFormat, atMost bar: Double? = nil, _ save: String
) -> BenchmarkCase {
  BenchmarkCase("a photo of 2 MP as \(name)", group: "encode", against: "Pillow", atMost: bar) {
    let bitmap = try photo.bitmap()
    let rival = try PythonRival.process(
      script: """
        import io
        from PIL import Image
        image = Image.open("\(try photo.path())").convert("RGB")
        def work():
            target = io.BytesIO()
            \(save)
        """)
    return BenchmarkPair(subject: .call { blackHole(try easel(bitmap, format)) }, baseline: rival.side)
  }
}

private let coders = CoderRegistry.everything.adding(GIFCoder(diffusesError: false))

/// Returns the number of encoded bytes.
private func easel(_ bitmap: Bitmap, _ format: ImageFormat, level: Int = 6) throws -> Int {
  var options = EncodeOptions.library()
  options.compressionLevel = level
  return try coders.encode(Image(bitmap), as: format, options: options, work: WorkContext()).count
}

private func fileSize(_ bitmap: Bitmap, _ encode: Encoder) throws -> Int {
  var file: UnsafeMutablePointer<UInt8>?
  var count = 0
  defer { free(file) }
  let isWritten = bitmap.withUnsafeBytes { pixels in
    encode(
      pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(bitmap.width), CInt(bitmap.height), &file, &count)
  }
  guard isWritten else { throw JobFailure(description: "a C library does not write the picture") }
  return count
}
