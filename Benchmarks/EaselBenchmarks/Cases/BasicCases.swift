import CEaselBasicBaseline
import EaselBasic
import EaselBenchmarkHarness
import EaselCore
import FoundationEssentials
import Glibc

/// BMP, PPM, QOI and icons through the public API, compared with the shortest C that reads and writes them, and with
/// other libraries.
func basicCases() -> [BenchmarkCase] {
  kinds.flatMap { kind in
    [decodeCase(kind), encodeCase(kind)]
      + kind.rivals.flatMap { [rivalDecodeCase(kind, $0), rivalThumbnailCase(kind, $0)] } + [
        rivalEncodeCase(kind), programCase(kind),
      ]
  } + [iconCase()]
}

private let photo = BenchmarkPicture(.photo, .png, 4000, 3000)

/// A format, its coder, and the C that does the same.
private struct Kind: Sendable {
  let name: String
  let coder: any EncodingCoder
  let format: ImageFormat
  let decode: @Sendable (UnsafePointer<UInt8>?, Int, UInt32, UInt32, UnsafeMutableRawPointer?) -> Bool
  let encode:
    @Sendable (
      UnsafeRawPointer?, UInt32, UInt32, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>
    ) -> Bool
  /// The other libraries that read the format by themselves.
  let rivals: [Rival]
}

private enum Rival: String {
  case Pillow, pyvips

  /// A process that does this work.
  func process(_ work: String) throws -> RepeatingProcess {
    let start = self == .Pillow ? "from PIL import Image" : PythonRival.debiansVips
    return try PythonRival.process(
      script: """
        \(start)
        def work():
            \(work)
        """)
  }
}

private let kinds = [
  Kind(
    name: "BMP", coder: BMPCoder(), format: .bmp, decode: { easel_baseline_decode_bmp($0, $1, $2, $3, $4) },
    encode: { easel_baseline_encode_bmp($0, $1, $2, $3, $4) }, rivals: [.Pillow]),
  Kind(
    name: "PPM", coder: PNMCoder(), format: .pnm, decode: { easel_baseline_decode_ppm($0, $1, $2, $3, $4) },
    encode: { easel_baseline_encode_ppm($0, $1, $2, $3, $4) }, rivals: [.Pillow, .pyvips]),
  Kind(
    name: "QOI", coder: QOICoder(), format: .qoi, decode: { easel_baseline_decode_qoi($0, $1, $2, $3, $4) },
    encode: { easel_baseline_encode_qoi($0, $1, $2, $3, $4) }, rivals: [.Pillow]),
]

extension Kind {
  func file(_ picture: BenchmarkPicture = photo) throws -> ImageBytes {
    try coder.encode(Image(picture.bitmap()), as: format, options: EncodeOptions(), work: WorkContext())
  }

  /// The path of the picture in this format, which is made if it is missing.
  func path(_ picture: BenchmarkPicture = photo) throws -> String {
    let path = try picture.path() + ".\(name.lowercased())"
    guard access(path, R_OK) != 0 else { return path }
    try file(picture).data().write(to: URL(fileURLWithPath: path))
    return path
  }

  func decoded(_ bytes: ImageBytes, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
    try coder.decode(bytes, options: options, work: WorkContext())
  }
}

private var thumbnailOptions: DecodeOptions {
  var options = DecodeOptions()
  options.thumbnailSize = PixelSize(width: 320, height: 320)
  return options
}

// MARK: C

private func decodeCase(_ kind: Kind) -> BenchmarkCase {
  BenchmarkCase("decode a photo of 12 MP", group: kind.name, against: "C", atMost: 1.05) {
    let bytes = try kind.file()
    let file = try bytes.data()
    let size = photo.size
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: size.area * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call { blackHole(try kind.decoded(bytes)) },
      baseline: .call {
        let isDecoded = file.withUnsafeBytes {
          kind.decode(
            $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count, UInt32(size.width), UInt32(size.height),
            target.baseAddress)
        }
        precondition(isDecoded, "The C refuses the picture.")
      })
  }
}

private func encodeCase(_ kind: Kind) -> BenchmarkCase {
  BenchmarkCase("encode a photo of 12 MP", group: kind.name, against: "C", atMost: 1.05) {
    let bitmap = try photo.bitmap()
    let own = {
      try kind.coder.encode(Image(bitmap), as: kind.format, options: EncodeOptions(), work: WorkContext()).count
    }
    let other = {
      var file: UnsafeMutablePointer<UInt8>?
      var count = 0
      defer { free(file) }
      let isWritten = bitmap.withUnsafeBytes {
        kind.encode($0.baseAddress, UInt32(bitmap.width), UInt32(bitmap.height), &file, &count)
      }
      precondition(isWritten, "The C does not write the picture.")
      return count
    }
    let counts = (try own(), other())
    precondition(counts.0 == counts.1, "Easel's file has \(counts.0) bytes, that of the C \(counts.1).")
    return BenchmarkPair(subject: .call { blackHole(try own()) }, baseline: .call { blackHole(other()) })
  }
}

// MARK: Other libraries

/// A photo that another library reads or writes, as large as its speed allows.
private struct RivalPhoto {
  let name: String
  let picture: BenchmarkPicture
  let mostPairs: Int?

  /// Pillow reads and writes QOI in Python, which takes 15 s for a photo of 12 MP.
  init(_ kind: Kind, _ rival: Rival) {
    let isSlow = kind.format == .qoi && rival == .Pillow
    name = isSlow ? "a photo of 0.5 MP" : "a photo of 12 MP"
    picture = isSlow ? BenchmarkPicture(.photo, .png, 800, 625) : photo
    mostPairs = isSlow ? 5 : nil
  }
}

private func rivalDecodeCase(_ kind: Kind, _ rival: Rival) -> BenchmarkCase {
  let photo = RivalPhoto(kind, rival)
  return BenchmarkCase(
    "decode \(photo.name)", group: kind.name, against: rival.rawValue, atMost: 1, mostPairs: photo.mostPairs
  ) {
    let path = try kind.path(photo.picture)
    let process = try rival.process(
      rival == .Pillow
        ? #"Image.open("\#(path)").load()"# : #"pyvips.Image.new_from_file("\#(path)").write_to_memory()"#)
    return BenchmarkPair(
      subject: .call { blackHole(try kind.decoded(ImageBytes(contentsOfFile: path))) }, baseline: process.side)
  }
}

private func rivalThumbnailCase(_ kind: Kind, _ rival: Rival) -> BenchmarkCase {
  let photo = RivalPhoto(kind, rival)
  return BenchmarkCase(
    "\(photo.name) to 320 pixels", group: kind.name, against: rival.rawValue, atMost: 1, mostPairs: photo.mostPairs
  ) {
    let path = try kind.path(photo.picture)
    let process = try rival.process(
      rival == .Pillow
        ? #"Image.open("\#(path)").thumbnail((320, 320))"#
        : #"pyvips.Image.thumbnail("\#(path)", 320, height=320).write_to_memory()"#)
    return BenchmarkPair(
      subject: .call { blackHole(try kind.decoded(ImageBytes(contentsOfFile: path), thumbnailOptions)) },
      baseline: process.side)
  }
}

private func rivalEncodeCase(_ kind: Kind) -> BenchmarkCase {
  let photo = RivalPhoto(kind, .Pillow)
  return BenchmarkCase(
    "encode \(photo.name)", group: kind.name, against: "Pillow", atMost: 1, mostPairs: photo.mostPairs
  ) {
    let bitmap = try photo.picture.bitmap()
    let process = try PythonRival.process(
      script: """
        import io
        from PIL import Image
        image = Image.open("\(try photo.picture.path())").convert("RGB")
        def work():
            image.save(io.BytesIO(), "\(kind.name)")
        """)
    return BenchmarkPair(
      subject: .call {
        blackHole(
          try kind.coder.encode(Image(bitmap), as: kind.format, options: EncodeOptions(), work: WorkContext()))
      }, baseline: process.side)
  }
}

/// Both sides read a file and write a JPEG; Easel's program makes one after another, as a server does.
private func programCase(_ kind: Kind) -> BenchmarkCase {
  BenchmarkCase(
    "a photo of 12 MP to a JPEG of 320 pixels", group: kind.name, against: "ImageMagick", atMost: 1,
    memoryAtMost: 1.0 / 3
  ) {
    let path = try kind.path()
    let program = try InstalledProgram.path("convert-im6.q16", "convert")
    let command = [program, path, "-thumbnail", "320x320", "-quality", "80", path + ".jpg"]
    do {
      _ = try ChildProcess(command).wait()
    } catch is JobFailure {
      throw BenchmarkUnavailable("\(program) does not know \(kind.name)")
    }
    return BenchmarkPair(
      subject: try RepeatingProcess([InstalledProgram.leanThumbnails(), path], lacking: "what it needs")
        .sideWithPeakOfFirst,
      baseline: ChildJob(command: command, environment: ["MAGICK_THREAD_LIMIT": "1"]).side)
  }
}

private func iconCase() -> BenchmarkCase {
  BenchmarkCase("decode an icon of 256 pixels", group: "ICO", against: "Pillow", atMost: 1) {
    let picture = BenchmarkPicture(.screen, .png, 256, 256)
    let kind = Kind(
      name: "ICO", coder: ICOCoder(), format: .ico, decode: { _, _, _, _, _ in false },
      encode: { _, _, _, _, _ in false }, rivals: [])
    let path = try kind.path(picture)
    let process = try PythonRival.process(
      script: """
        from PIL import Image
        def work():
            Image.open("\(path)").load()
        """)
    return BenchmarkPair(
      subject: .call { blackHole(try kind.decoded(ImageBytes(contentsOfFile: path))) }, baseline: process.side)
  }
}
