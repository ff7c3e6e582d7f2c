import CEaselJPEGBaseline
import EaselEverything
import EaselBenchmarkHarness
import FoundationEssentials

/// The time from the last received byte to the picture, for bodies that arrive at 50 MB a second if not said otherwise.
func arrivalCases() -> [BenchmarkCase] {
  [
    arrivalCase("JPEG, 12 MP", BenchmarkPicture(.photo, .jpeg, 4000, 3000), thumbnail: nil, atMost: 0.25),
    arrivalCase(
      "JPEG as of a camera, 12 MP", BenchmarkPicture(.photo, .cameraJPEG, 4000, 3000), thumbnail: nil, atMost: 0.25),
    arrivalCase("JPEG, 12 MP, to 320", BenchmarkPicture(.photo, .jpeg, 4000, 3000), thumbnail: 320, atMost: 0.25),
    arrivalCase("PNG, 12 MP", BenchmarkPicture(.photo, .png, 4000, 3000), thumbnail: nil, atMost: nil),
    arrivalCase("WebP, 12 MP", BenchmarkPicture(.photo, .webp, 4000, 3000), thumbnail: nil, atMost: 0.3),
    // So few bytes are there after 20 ms, and nobody decodes as fast. At this rate the bytes take longer than that.
    arrivalCase(
      "WebP, 12 MP, at 10 MB a second", BenchmarkPicture(.photo, .webp, 4000, 3000), thumbnail: nil,
      bytesPerSecond: 10e6, atMost: 0.3),
    arrivalCase(
      "WebP without loss, 12 MP", BenchmarkPicture(.photo, .losslessWebP, 4000, 3000), thumbnail: nil, atMost: 0.3),
    arrivalCase(
      "progressive JPEG, 12 MP", BenchmarkPicture(.photo, .progressiveJPEG, 4000, 3000), thumbnail: nil,
      isAgainstLibrary: true, atMost: 0.5),
    arrivalCase(
      "progressive JPEG, 12 MP, at 10 MB a second", BenchmarkPicture(.photo, .progressiveJPEG, 4000, 3000),
      thumbnail: nil, bytesPerSecond: 10e6, isAgainstLibrary: true, atMost: 0.5),
  ]
}

/// With `isAgainstLibrary`, the baseline decodes what it has downloaded with libjpeg-turbo.
private func arrivalCase(
  _ name: String, _ picture: BenchmarkPicture, thumbnail: Int?, bytesPerSecond: Double = 50e6,
  isAgainstLibrary: Bool = false, atMost bar: Double?
) -> BenchmarkCase {
  BenchmarkCase(
    "from the last byte to the picture, \(name)", group: "arrival",
    against: isAgainstLibrary ? "download, then libjpeg-turbo" : "download, then decode", atMost: bar
  ) {
    let type = ["jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"][picture.fileExtension]!
    let server = try PacedServer(try picture.data(), type: type, bytesPerSecond: bytesPerSecond)
    var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
    configuration.cache = TieredCache()
    let manager = ImageManager(configuration)
    var request = ImageRequest(url: server.url, options: .fromLoaderOnly)
    if let thumbnail { request.context[.thumbnailSize] = PixelSize(width: thumbnail, height: thumbnail) }
    var options = DecodeOptions()
    options.thumbnailSize = request.context[.thumbnailSize]
    let target = UnsafeMutableRawBufferPointer.allocate(
      byteCount: isAgainstLibrary ? picture.size.area * 4 : 0, alignment: 64)
    return BenchmarkPair(
      subject: sinceLastByte(server) { blackHole(try await manager.image(for: request)) },
      baseline: sinceLastByte(server) {
        let bytes = try await manager.bytes(for: ImageRequest(url: server.url, options: .fromLoaderOnly))
        guard isAgainstLibrary else {
          return blackHole(try CoderRegistry.everything.decode(bytes, options: options, work: WorkContext()))
        }
        let isDecoded = try bytes.withUnsafeBytes {
          easel_baseline_decode_jpeg($0.baseAddress, $0.count, target.baseAddress, target.count)
        }
        precondition(isDecoded, "libjpeg-turbo refuses the picture.")
      })
  }
}

private func sinceLastByte(_ server: PacedServer, _ body: @escaping () async throws -> Void) -> BenchmarkSide {
  .timed { repetitions in
    var seconds = 0.0
    for _ in 0..<repetitions {
      try await body()
      seconds += server.lastByteTime.duration(to: .now) / .seconds(1)
    }
    return seconds
  }
}
