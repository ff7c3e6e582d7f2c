import CEaselTIFFBaseline
import EaselBenchmarkHarness
import EaselCore
import EaselTIFF
import FoundationEssentials
import Glibc

/// Whole pictures through the public API, one after another, compared with libtiff called directly.
func tiffCases() -> [BenchmarkCase] {
  let large = BenchmarkPicture(.photo, .png, 4000, 3000)
  return [
    decodeCase("a photo of 2 MP, deflate", BenchmarkPicture(.photo, .png, 1600, 1250), isLZW: false, tile: 0),
    decodeCase("a photo of 12 MP, deflate", large, isLZW: false, tile: 0),
    decodeCase("a photo of 12 MP, LZW", large, isLZW: true, tile: 0),
    decodeCase("a photo of 12 MP, tiles of deflate", large, isLZW: false, tile: 256),
    thumbnailCase(large), encodeCase("deflate", isLZW: false), encodeCase("LZW", isLZW: true),
    rivalCase(large, "pyvips", memoryAtMost: 1.0 / 3, pyvips),
    rivalCase(large, "Pillow", memoryAtMost: 1.0 / 3, pillow),
    programCase(large),
  ]
}

// MARK: Other libraries

/// One thumbnail after another from a file of tiles, each side in a process of its own.
private func rivalCase(
  _ picture: BenchmarkPicture, _ rival: String, memoryAtMost: Double, _ script: @escaping (String) -> String
) -> BenchmarkCase {
  BenchmarkCase(
    "a tiled photo of 12 MP to a JPEG of 320 pixels", group: "TIFF", against: rival, atMost: 1,
    memoryAtMost: memoryAtMost
  ) {
    let path = try tiledFile(of: picture)
    return BenchmarkPair(
      subject: try RepeatingProcess([InstalledProgram.leanThumbnails(), path], lacking: "what it needs")
        .sideWithPeakOfFirst,
      baseline: try PythonRival.process(script: script(path)).sideWithPeakOfFirst)
  }
}

private func programCase(_ picture: BenchmarkPicture) -> BenchmarkCase {
  BenchmarkCase(
    "a tiled photo of 12 MP to a JPEG of 320 pixels", group: "TIFF", against: "ImageMagick", atMost: 1,
    memoryAtMost: 1.0 / 3
  ) {
    let path = try tiledFile(of: picture)
    let program = try InstalledProgram.path("convert-im6.q16", "convert")
    return BenchmarkPair(
      subject: try RepeatingProcess([InstalledProgram.leanThumbnails(), path], lacking: "what it needs")
        .sideWithPeakOfFirst,
      baseline: ChildJob(
        command: [program, path, "-thumbnail", "320x320", "-quality", "80", path + ".jpg"],
        environment: ["MAGICK_THREAD_LIMIT": "1"]
      ).side)
  }
}

/// The path of a file of tiles, which is made if it is missing.
private func tiledFile(of picture: BenchmarkPicture) throws -> String {
  let path = try picture.path() + ".tiled.tif"
  guard access(path, R_OK) != 0 else { return path }
  try writtenByLibtiff(picture.bitmap(), isLZW: false, tile: 256).write(to: URL(fileURLWithPath: path))
  return path
}

/// Without this, libvips would return its cached result the second time.
private func pyvips(_ path: String) -> String {
  """
  import pyvips
  pyvips.cache_set_max(0)
  def work():
      pyvips.Image.thumbnail("\(path)", 320, height=320).jpegsave_buffer(Q=80)
  """
}

private func pillow(_ path: String) -> String {
  """
  import io
  from PIL import Image
  def work():
      image = Image.open("\(path)")
      image.thumbnail((320, 320))
      image.convert("RGB").save(io.BytesIO(), "JPEG", quality=80)
  """
}

// MARK: libtiff

private func decodeCase(_ name: String, _ picture: BenchmarkPicture, isLZW: Bool, tile: UInt32) -> BenchmarkCase {
  BenchmarkCase("decode \(name)", group: "TIFF", against: "libtiff", atMost: 1.05) {
    let file = writtenByLibtiff(try picture.bitmap(), isLZW: isLZW, tile: tile)
    let bytes = ImageBytes(file)
    let target = room(for: picture.size)
    return BenchmarkPair(
      subject: .call { blackHole(try TIFFCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())) },
      baseline: .call { decodeWithLibtiff(file, target) })
  }
}

/// libtiff cannot make a picture smaller, so it only decodes; Easel may take a little longer for the rest.
private func thumbnailCase(_ picture: BenchmarkPicture) -> BenchmarkCase {
  BenchmarkCase("a tiled photo of 12 MP to 320 pixels", group: "TIFF", against: "libtiff decoding alone", atMost: 1.15)
  {
    let file = writtenByLibtiff(try picture.bitmap(), isLZW: false, tile: 256)
    let bytes = ImageBytes(file)
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 320, height: 320)
    let thumbnail = options
    let target = room(for: picture.size)
    return BenchmarkPair(
      subject: .call { blackHole(try TIFFCoder().decode(bytes, options: thumbnail, work: WorkContext())) },
      baseline: .call { decodeWithLibtiff(file, target) })
  }
}

private func encodeCase(_ name: String, isLZW: Bool) -> BenchmarkCase {
  BenchmarkCase("encode a photo of 2 MP, \(name)", group: "TIFF", against: "libtiff", atMost: 1.05) {
    let bitmap = try BenchmarkPicture(.photo, .png, 1600, 1250).bitmap()
    var options = EncodeOptions()
    if isLZW { options.settings[.tiffCompression] = .lzw }
    let chosen = options
    let own = { try TIFFCoder().encode(Image(bitmap), as: .tiff, options: chosen, work: WorkContext()).count }
    let other = { writtenByLibtiff(bitmap, isLZW: isLZW, tile: 0).count }
    let counts = (try own(), other())
    precondition(counts.0 <= counts.1 * 101 / 100, "Easel's file has \(counts.0) bytes, that of libtiff \(counts.1).")
    return BenchmarkPair(subject: .call { blackHole(try own()) }, baseline: .call { blackHole(other()) })
  }
}

private func room(for size: PixelSize) -> UnsafeMutableRawBufferPointer {
  .allocate(byteCount: size.area * 4, alignment: 64)
}

private func decodeWithLibtiff(_ file: Data, _ target: UnsafeMutableRawBufferPointer) {
  let isDecoded = file.withUnsafeBytes { easel_baseline_decode_tiff($0.baseAddress, $0.count, target.baseAddress) }
  precondition(isDecoded, "libtiff refuses the picture.")
}

/// The file of a picture in strips as long as those of Easel, or in square tiles.
private func writtenByLibtiff(_ bitmap: Bitmap, isLZW: Bool, tile: UInt32) -> Data {
  var file: UnsafeMutablePointer<UInt8>?
  var count = 0
  let rows = UInt32(max(1, (256 << 10) / (bitmap.width * 3)))
  let level = Int32(EncodeOptions().compressionLevel)
  precondition(bitmap.bytesPerRow == bitmap.width * 4 && bitmap.format.layout == .rgba8)
  let isWritten = bitmap.withUnsafeBytes {
    easel_baseline_encode_tiff(
      $0.baseAddress, UInt32(bitmap.width), UInt32(bitmap.height), isLZW, level, rows, tile, &file, &count)
  }
  precondition(isWritten && file != nil, "libtiff does not write the picture.")
  return Data(bytesNoCopy: file!, count: count, deallocator: .free)
}
