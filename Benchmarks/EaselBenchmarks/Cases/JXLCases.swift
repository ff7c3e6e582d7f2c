import CEaselJXLBaseline
import EaselBenchmarkHarness
import EaselCore
import EaselJXL
import EaselSupport
import FoundationEssentials
import Glibc

/// Whole pictures through the public API, one after another, compared with libjxl called directly; both use the same
/// effort and number of threads.
func jxlCases() -> [BenchmarkCase] {
  let (small, large) = (BenchmarkPicture(.photo, .png, 1600, 1250), BenchmarkPicture(.photo, .png, 4000, 3000))
  // Without loss, a file of 2 MP takes seconds.
  let smaller = BenchmarkPicture(.photo, .png, 800, 625)
  return [
    decodeCase("a photo of 2 MP", small), decodeCase("a photo of 12 MP", large),
    decodeCase("a photo of 2 MP, lossless", small, isLossless: true), thumbnailCase(large),
    encodeCase("a photo of 2 MP", small, isLossless: false),
    encodeCase("a photo of 0.5 MP, lossless", smaller, isLossless: true),
  ] + rivalScripts.map { rivalCase(large, $0) } + rivalEncodeCases(small)
}

private let quality = 0.9

private var thumbnailOptions: DecodeOptions {
  var options = DecodeOptions()
  options.thumbnailSize = PixelSize(width: 320, height: 320)
  return options
}

private func jxlFile(_ picture: BenchmarkPicture, isLossless: Bool = false) throws -> Data {
  var options = EncodeOptions.library(quality: quality)
  options.lossless = isLossless
  return try JXLCoder().encode(Image(picture.bitmap()), as: .jxl, options: options, work: WorkContext()).data()
}

private func room(for size: PixelSize) -> UnsafeMutableRawBufferPointer {
  .allocate(byteCount: size.area * 4, alignment: 64)
}

// MARK: libjxl

private func decodeCase(_ name: String, _ picture: BenchmarkPicture, isLossless: Bool = false) -> BenchmarkCase {
  BenchmarkCase("decode \(name)", group: "JPEG XL", against: "libjxl", atMost: 1.05) {
    let file = try jxlFile(picture, isLossless: isLossless)
    let bytes = ImageBytes(file)
    let target = room(for: picture.size)
    return BenchmarkPair(
      subject: .call { blackHole(try JXLCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())) },
      baseline: .call {
        let isDecoded = file.withUnsafeBytes {
          easel_baseline_decode_jxl($0.baseAddress, $0.count, Int32(CPUBudget.processors), target.baseAddress)
        }
        precondition(isDecoded, "libjxl refuses the picture.")
      })
  }
}

/// libjxl cannot make a picture smaller; the cheapest way that uses every pixel is the mean of those that fall on each.
private func thumbnailCase(_ picture: BenchmarkPicture) -> BenchmarkCase {
  BenchmarkCase("a photo of 12 MP to 320 pixels", group: "JPEG XL", against: "libjxl and means of pixels", atMost: 1.05)
  {
    let file = try jxlFile(picture)
    let bytes = ImageBytes(file)
    let size = picture.size.thumbnail(in: PixelSize(width: 320, height: 320))
    let target = room(for: size)
    return BenchmarkPair(
      subject: .call { blackHole(try JXLCoder().decode(bytes, options: thumbnailOptions, work: WorkContext())) },
      baseline: .call {
        let isDecoded = file.withUnsafeBytes {
          easel_baseline_shrink_jxl(
            $0.baseAddress, $0.count, Int32(CPUBudget.processors), UInt32(size.width), UInt32(size.height),
            target.baseAddress)
        }
        precondition(isDecoded, "libjxl refuses the picture.")
      })
  }
}

private func encodeCase(_ name: String, _ picture: BenchmarkPicture, isLossless: Bool) -> BenchmarkCase {
  BenchmarkCase("encode \(name)", group: "JPEG XL", against: "libjxl", atMost: 1.05) {
    let bitmap = try picture.bitmap()
    var options = EncodeOptions.library(quality: quality)
    options.lossless = isLossless
    let chosen = options
    let own = { try JXLCoder().encode(Image(bitmap), as: .jxl, options: chosen, work: WorkContext()).count }
    let other = {
      var file: UnsafeMutablePointer<UInt8>?
      var count = 0
      defer { free(file) }
      let isWritten = bitmap.withUnsafeBytes {
        easel_baseline_encode_jxl(
          $0.baseAddress, UInt32(bitmap.width), UInt32(bitmap.height), isLossless ? 0 : 1, 4,
          Int32(CPUBudget.processors), &file, &count)
      }
      precondition(isWritten, "libjxl does not write the picture.")
      return count
    }
    let counts = (try own(), other())
    precondition(counts.0 <= counts.1 * 101 / 100, "Easel's file has \(counts.0) bytes, that of libjxl \(counts.1).")
    return BenchmarkPair(subject: .call { blackHole(try own()) }, baseline: .call { blackHole(other()) })
  }
}

// MARK: Other libraries

// Debian 12 builds ImageMagick without JPEG XL.

private let rivalScripts: [(name: String, script: String)] = [
  (
    "Pillow's plug-in",
    """
    from PIL import Image
    import pillow_jxl
    def work():
        image = Image.open(PATH)
        image.thumbnail((320, 320))
        image.load()
    """
  ),
  (
    "pyvips",
    """
    \(PythonRival.debiansVips)
    def work():
        pyvips.Image.thumbnail(PATH, 320, height=320).write_to_memory()
    """
  ),
]

private let rivalTitle = "a photo of 12 MP to 320 pixels"

private func writtenFile(_ data: Data) throws -> String {
  let path = "/tmp/easel-bench-\(UInt64.random(in: 0 ... .max)).jxl"
  try data.write(to: URL(fileURLWithPath: path))
  return path
}

private func rivalCase(_ picture: BenchmarkPicture, _ rival: (name: String, script: String)) -> BenchmarkCase {
  BenchmarkCase(rivalTitle, group: "JPEG XL", against: rival.name, atMost: 1) {
    let file = try jxlFile(picture)
    let bytes = ImageBytes(file)
    let process = try PythonRival.process(script: "PATH = '\(try writtenFile(file))'\n" + rival.script)
    return BenchmarkPair(
      subject: .call { blackHole(try JXLCoder().decode(bytes, options: thumbnailOptions, work: WorkContext())) },
      baseline: process.side)
  }
}

/// The same picture written by other libraries at the same effort, at the quality that gives about as many bytes.
private func rivalEncodeCases(_ picture: BenchmarkPicture) -> [BenchmarkCase] {
  let scripts: [(String, String)] = [
    (
      "Pillow's plug-in",
      """
      import io
      from PIL import Image
      import pillow_jxl
      image = Image.open(PATH).convert("RGB")
      image.load()
      def encode(quality):
          target = io.BytesIO()
          image.save(target, "JXL", quality=quality, effort=4)
          return target.getbuffer().nbytes
      """
    ),
    (
      "pyvips",
      """
      \(PythonRival.debiansVips)
      image = pyvips.Image.new_from_file(PATH).copy_memory()
      def encode(quality):
          return len(image.jxlsave_buffer(Q=quality, effort=4))
      """
    ),
  ]
  let search = """

    quality = min(range(75, 99, 3), key=lambda quality: abs(encode(quality) - SIZE))
    def work():
        encode(quality)
    """
  return scripts.map { name, script in
    BenchmarkCase("encode a photo of 2 MP", group: "JPEG XL", against: name, atMost: 1) {
      let bitmap = try picture.bitmap()
      let own = {
        try JXLCoder().encode(
          Image(bitmap), as: .jxl, options: EncodeOptions.library(quality: quality), work: WorkContext()
        )
        .count
      }
      let head = "PATH = '\(try picture.path())'\nSIZE = \(try own())\n"
      let rival = try PythonRival.process(script: head + script + search)
      return BenchmarkPair(subject: .call { blackHole(try own()) }, baseline: rival.side)
    }
  }
}
