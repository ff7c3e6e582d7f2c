import CEaselHEIFBaseline
import EaselBenchmarkHarness
import EaselCoding
import EaselCore
import EaselHEIF
import EaselSupport
import FoundationEssentials
import Glibc

/// A photo of a phone through the public API, compared with libde265 called directly on the cells of its grid.
///
/// Nothing here writes HEIC, so the photo comes from the corpus.
func heifCases() -> [BenchmarkCase] {
  [decodeCase(), thumbnailCase()] + scripts.map(rivalCase) + [programCase()]
}

private let photo = "heic/photo/metadata-extractor--IMG_2927.HEIC"

private func path() throws -> String {
  let corpus = getenv("EASEL_CORPUS").map { String(cString: $0) } ?? "../shared/corpus"
  let path = "\(corpus)/\(photo)"
  guard access(path, R_OK) == 0 else {
    throw BenchmarkUnavailable("there is no \(path); EASEL_CORPUS names the folder of the corpus")
  }
  return path
}

private var thumbnailOptions: DecodeOptions {
  var options = DecodeOptions()
  options.thumbnailSize = PixelSize(width: 320, height: 320)
  return options
}

// MARK: libde265

/// libde265 knows no profiles, so Easel converts no colours here either.
private func decodeCase() -> BenchmarkCase {
  BenchmarkCase("decode a photo of 12 MP in 48 cells", group: "HEIC", against: "libde265", atMost: 1.05) {
    let grid = try CutGrid(try Data(contentsOf: URL(fileURLWithPath: path())))
    var options = DecodeOptions()
    options.convertsColor = false
    options.appliesOrientation = false
    let stored = options
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: grid.size.area * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call { blackHole(try HEIFCoder().decode(grid.bytes, options: stored, work: WorkContext())) },
      baseline: .call { grid.decode(to: target) })
  }
}

/// The cheapest way that uses every sample is the mean of those of each plane.
private func thumbnailCase() -> BenchmarkCase {
  BenchmarkCase(
    "a photo of 12 MP in 48 cells to 320 pixels", group: "HEIC", against: "libde265 and means of planes", atMost: 1.05
  ) {
    let grid = try CutGrid(try Data(contentsOf: URL(fileURLWithPath: path())))
    let size = grid.size.thumbnail(in: PixelSize(width: 320, height: 320))
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: size.area * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call { blackHole(try HEIFCoder().decode(grid.bytes, options: thumbnailOptions, work: WorkContext())) },
      baseline: .call { grid.shrink(to: size, target) })
  }
}

// MARK: Other libraries

private let scripts: [(name: String, script: String)] = [
  (
    "pillow-heif",
    """
    import io
    from PIL import Image
    import pillow_heif
    pillow_heif.register_heif_opener()
    def work():
        image = Image.open(PATH)
        image.thumbnail((320, 320))
        image.convert("RGB").save(io.BytesIO(), "JPEG", quality=80)
    """
  ),
  (
    "pyvips",
    """
    \(PythonRival.debiansVips)
    def work():
        pyvips.Image.thumbnail(PATH, 320, height=320).jpegsave_buffer(Q=80)
    """
  ),
]

private let rivalTitle = "a photo of 12 MP in 48 cells to a JPEG of 320 pixels"

private func rivalCase(_ rival: (name: String, script: String)) -> BenchmarkCase {
  BenchmarkCase(rivalTitle, group: "HEIC", against: rival.name, atMost: 1, memoryAtMost: 1.0 / 3) {
    let path = try path()
    return BenchmarkPair(
      subject: try lean(path),
      baseline: try PythonRival.process(script: "PATH = '\(path)'\n" + rival.script).sideWithPeakOfFirst)
  }
}

private func programCase() -> BenchmarkCase {
  BenchmarkCase(rivalTitle, group: "HEIC", against: "ImageMagick", atMost: 1, memoryAtMost: 1.0 / 3) {
    let path = try path()
    let program = try InstalledProgram.path("convert-im6.q16", "convert")
    let made = "/tmp/easel-bench-\(UInt64.random(in: 0 ... .max)).jpg"
    return BenchmarkPair(
      subject: try lean(path),
      baseline: ChildJob(
        command: [program, path, "-thumbnail", "320x320", "-quality", "80", made],
        environment: ["MAGICK_THREAD_LIMIT": "1"]
      ).side)
  }
}

private func lean(_ path: String) throws -> BenchmarkSide {
  try RepeatingProcess([InstalledProgram.leanThumbnails(), path], lacking: "what it needs").sideWithPeakOfFirst
}

// MARK: Cells

/// The cells of a grid, cut into units beforehand, as libde265 takes them.
private final class CutGrid: @unchecked Sendable {
  let bytes: ImageBytes
  let size: PixelSize
  // Immutable: the units point into the file, which stays in memory as long as this object.
  private let file: UnsafeMutableRawBufferPointer
  private let units: UnsafeMutableBufferPointer<easel_baseline_unit>
  private let cells: [easel_baseline_cell]

  init(_ data: Data) throws {
    bytes = ImageBytes(data)
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
    data.withUnsafeBytes { copy.copyMemory(from: $0) }
    file = copy
    let view = MediaBytes(UnsafeRawBufferPointer(copy))
    let media = try MediaFile(view, named: "HEIC", limits: Limits())
    guard let items = media.items.first, let primary = items.primary,
      let whole = items.properties(of: primary).first("ispe").flatMap(items.size),
      let sources = items.references.first(where: { $0.kind == "dimg" && $0.from == primary })?.to,
      let cell = items.properties(of: sources[0]).first("ispe").flatMap(items.size)
    else { throw BenchmarkUnavailable("\(photo) is no grid") }
    size = whole
    let cut = sources.map { source in
      Self.parameters(items.properties(of: source).first("hvcC"), view)
        + (items.items[source]?.extents.first.map { Self.units(in: $0, lengthBytes: 4, view) } ?? [])
    }
    units = .allocate(capacity: cut.reduce(0) { $0 + $1.count })
    _ = units.initialize(fromContentsOf: cut.flatMap { $0 })
    let columns = (whole.width + cell.width - 1) / cell.width
    var (cells, place) = ([easel_baseline_cell](), 0)
    for (index, own) in cut.enumerated() {
      cells.append(
        easel_baseline_cell(
          units: units.baseAddress! + place, count: own.count, x: UInt32(index % columns * cell.width),
          y: UInt32(index / columns * cell.height)))
      place += own.count
    }
    self.cells = cells
  }

  deinit {
    units.deallocate()
    file.deallocate()
  }

  func decode(to target: UnsafeMutableRawBufferPointer) {
    let isDecoded = easel_baseline_decode_heif(
      cells, cells.count, UInt32(size.width), UInt32(size.height), Int32(CPUBudget.processors), target.baseAddress)
    precondition(isDecoded, "libde265 refuses the picture.")
  }

  func shrink(to small: PixelSize, _ target: UnsafeMutableRawBufferPointer) {
    let isDecoded = easel_baseline_shrink_heif(
      cells, cells.count, UInt32(size.width), UInt32(size.height), Int32(CPUBudget.processors), UInt32(small.width),
      UInt32(small.height), target.baseAddress)
    precondition(isDecoded, "libde265 refuses the picture.")
  }

  /// The sets of parameters in a box, each with its length before it.
  private static func parameters(_ box: MediaBox?, _ view: MediaBytes) -> [easel_baseline_unit] {
    guard let box, let count = view.number(at: box.content + 22, bytes: 1) else { return [] }
    var (units, place) = ([easel_baseline_unit](), box.content + 23)
    for _ in 0..<count {
      let number = view.number(at: place + 1, bytes: 2) ?? 0
      place += 3
      for _ in 0..<number {
        let length = view.number(at: place, bytes: 2) ?? 0
        units += Self.units(in: place..<place + 2 + length, lengthBytes: 2, view)
        place += 2 + length
      }
    }
    return units
  }

  private static func units(in part: Range<Int>, lengthBytes: Int, _ view: MediaBytes) -> [easel_baseline_unit] {
    var (units, place) = ([easel_baseline_unit](), part.lowerBound)
    while place < part.upperBound, let length = view.number(at: place, bytes: lengthBytes),
      let unit = view.bytes(in: place + lengthBytes..<place + lengthBytes + length)
    {
      units.append(
        easel_baseline_unit(bytes: unit.baseAddress?.assumingMemoryBound(to: UInt8.self), count: unit.count))
      place += lengthBytes + length
    }
    return units
  }
}
